"""`minigrad new-part`: begin a part of your own, an operation that torch has."""

from __future__ import annotations

import importlib
import keyword
import re
from pathlib import Path
from typing import Annotated

import typer

import minigrad
from minigrad_course import parts
from minigrad_course.cli.ending import FAILED, USAGE, stop
from minigrad_course.cli.learner.student import chapters_to_choose, demand_torch
from minigrad_course.cli.screen import Screen
from minigrad_course.texts import source
from minigrad_course.texts.words import RESERVED

MODULE = '''\
"""The part `{name}`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("{name}")


class Forward(Function):
    """Shared by the wrong versions: the forward."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        raise NotImplementedError  # {write}: save what backward needs, and return the result


for name, explanation, shares in (
    (
        "no upstream",
        "you return the local derivative alone and forget the upstream gradient",
        lambda grad, saved: None,  # {write}: the share that it makes of the upstream gradient and what was saved
    ),
    # {write}: one more mistake that people make, in the same form
):
    mistake.backward(Forward, name, explanation, shares)


part = Part(
    Place("{name}", "operation", "{name}", node="{node}Backward0"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "{write}: a vague hint",
        "{write}: one that nearly gives the answer",
    ),
    mistakes=tuple(mistake),
    probe="""
slopes(torch.{name}, 0.5, upstream=10.0)
slopes(torch.{name}, 0.25, upstream=1.0)
""",
)
'''

SECTION = """\
+++ {{"id": "about-{name}"}}

## The operation `{name}`

{{{{ {name} }}}}

{write}: what the operation computes, and what is to be written

```{{code-cell}} ipython3
:id: {name}
:part: {name}
{imports}@part("{name}")
class {node}(Function):
    @staticmethod
    def forward(ctx, a):
        ### BEGIN SOLUTION
        raise NotImplementedError  # {write}: save what backward needs, and return the result
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad_output):
        ### BEGIN SOLUTION
        raise NotImplementedError  # {write}: the share of a
        ### END SOLUTION
```

```{{code-cell}} ipython3
:id: check-{name}
%%check {name}
a, b, upstream = draw(3)

for number, sign in draw.shuffled([(a, 1), (b, -1)]):
    x = torch.tensor(number, requires_grad=True)
    y = torch.{name}(x)
    print(y)
    y.backward(torch.tensor(sign * upstream))
    print(x.grad)

x.grad = None
(x.{name}() * x).backward()
print(x.grad)
```

```{{code-cell}} ipython3
:id: together-{name}
:tags: [together]
x = torch.tensor(draw(), requires_grad=True)
(torch.{name}(x) * x).backward()
print(x.grad)
```
"""


def new_part(
    name: Annotated[str, typer.Argument(metavar="OPERATION", help="What torch calls the operation, such as tanh.")],
    chapter: Annotated[
        int, typer.Option("--chapter", "-c", metavar="N", help="The number of the chapter.", show_default=False)
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Let it replace an operation that minigrad has.")] = False,
) -> None:
    """Begin a part of your own: a folder with its text and its code.

    Every place where you have something to write says WRITE, and the builder refuses it until none is left.
    """
    if not source.is_clone():
        stop("This is an installed package. To add a part, work in a clone of the course.", USAGE)
    result = next((item for item in parts.chapters() if item.number == chapter), None)
    if result is None:
        stop(f"There is no chapter {chapter}. Choose one of {chapters_to_choose()}.", USAGE)
    demand_name(name, replace)
    folder = source.section_path(result, name).parent
    node = "".join(word.title() for word in name.split("_"))
    setup = next(cell.source for cell in source.read("solutions", result.name).cells if cell.role == "setup")
    needed = ("import numpy as np", "from minigrad.scalar import Function")
    imports = "\n".join(line for line in needed if line not in setup)
    above = f"{imports}\n\n\n" if imports else ""
    fields = {"name": name, "node": node, "write": source.WRITE, "imports": above}
    try:
        folder.mkdir()
        for file, text in ((source.SECTION, SECTION), ("__init__.py", MODULE)):
            path = folder / file
            path.write_text(text.format(**fields), encoding="utf-8")
            Screen().print(f"wrote: {shown(path)} ({text.count('{write}')} places to fill in, marked {source.WRITE})")
    except FileExistsError:
        stop(f"{shown(folder)} is there already. Finish it, or delete it.", USAGE)
    except OSError as error:
        stop(f"{shown(folder)} could not be written: {error.strerror or error}.", FAILED)
    Screen().print(f"Then: minigrad build exercises/{result.name[:2]}")


def demand_name(name: str, replace: bool) -> None:
    """End the command unless a new part may have this name."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name) or name in RESERVED:
        stop(f"A part cannot be called {name[:60]!r}. Take small letters, digits and _, as torch does.", USAGE)
    if taken := parts.chapter_of(name):
        stop(f"{name} is a check of chapter {taken.number} already. Choose another name.", USAGE)
    demand_torch()
    torch = importlib.import_module("torch")
    if not callable(getattr(torch, name, None)) or not hasattr(torch.Tensor, name):
        stop(f"torch has no operation {name}: checks run on torch, as torch.{name}(x) and x.{name}().", USAGE)
    if not (hasattr(minigrad, name) or hasattr(minigrad.Tensor, name)):
        return
    if name not in minigrad.ops.functions or not hasattr(minigrad.Tensor, name):
        stop(f"minigrad has {name} already, and it is no operation that a part could replace.", USAGE)
    if not replace:
        stop(f"minigrad has torch.{name} already. To have students write it anew, add --replace.", USAGE)


def shown(path: Path) -> str:
    """A path as it is seen from the clone."""
    return path.relative_to(source.notebooks_folder()).as_posix()
