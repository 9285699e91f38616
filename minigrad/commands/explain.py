"""`minigrad explain`: run a script that says `import torch` on minigrad, and explain an error of autograd by its lines.

What runs, what it sees and how it ends is as in `minigrad run`; see there.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import typer
from rich.text import Text

from minigrad.commands import run as running
from minigrad.commands.ending import INTERRUPTED, RIGHT
from minigrad.commands.screen import Screen
from minigrad.course.account import account, strays
from minigrad.course.case import Case, width, wrapped
from minigrad.course.explain import explanation
from minigrad.course.places import Sources
from minigrad.course.torch_shim import BUILT_ON_TORCH
from minigrad.course.watching import watch

NOT_OURS = "This is not an error of autograd. Its traceback names the line."
NOT_HERE = "{}. torch has it: run the script with torch, or try it without that line."
LACKS = "minigrad has no torch."
NOT_BESIDE = (
    "{}. Put tensors of the same shapes, such as `torch.randn(8, 3, 32, 32)`, in place of what {} gives, and try it "
    "again."
)
UNBOUND = "Nothing has imported {}. Put `{}` on top, and try it again."
USUAL = {  # what forum posts leave out
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "np": "import numpy as np",
}


def explain(
    file: running.File = None,
    arguments: running.Arguments = None,
    code: running.Code = None,
    module: running.Module = None,
    seed: running.Seed = None,
) -> None:
    """Run a script on minigrad and, if autograd stops it, say which lines of the script led to that.

    A text copied from a page will do, with its prompts (>>>), its fences or its indentation.
    """
    chosen = running.prepared(file, arguments, code, module, seed, pasted=True)
    names: dict[str, Any] = {}
    left: SystemExit | None = None
    with watch() as seen:
        try:
            ended = running.execute(chosen, False, names)
        except SystemExit as error:  # perhaps of a program that has caught its error
            ended, left = running.Ended(RIGHT, error.__context__), error
    name = chosen.path or "<string>"
    case = Case(ended.error, seen, Sources({name: chosen.text}), names)
    with contextlib.suppress(AttributeError, ValueError):  # a program may have closed it, or taken it away
        sys.stdout.flush()
    with contextlib.suppress(Exception):  # whatever a program has done to its tensors: its error is on the screen
        quiet = not seen.passes and (left is not None or ended.status == INTERRUPTED)  # it may have shown its usage
        show(told(case, names, name, ended.status, quiet))
    raise left or typer.Exit(ended.status)


def told(case: Case, names: dict[str, Any], name: str, status: int, quiet: bool) -> list[tuple[str, str]]:
    """What there is to say, as lines with their styles.

    name: of the file that was run; status: how it ended; quiet: say nothing where nothing went wrong.
    """
    found = explanation(case) if status != INTERRUPTED else None
    if found is not None:
        return [("", ""), *found.lines(case.sources, name)]
    if status in (RIGHT, INTERRUPTED):
        return [] if quiet else [(line, "") for line in account(case, names, status == RIGHT).splitlines()]
    lacking = str(case.error).partition(": run this")[0]
    told = NOT_HERE.format(lacking) if lacking.startswith(LACKS) else NOT_OURS
    missing = getattr(case.error, "name", None)
    if isinstance(case.error, ModuleNotFoundError) and missing in BUILT_ON_TORCH:
        told = NOT_BESIDE.format(lacking, missing)
    elif isinstance(case.error, NameError) and missing in USUAL:
        told = UNBOUND.format(missing, USUAL[missing])
    nan = strays(case, {**case.seen.inside, **names}) if "nan" in str(case.error).lower() else []
    return [("", ""), *((line, "") for said in [told, *nan] for line in wrapped(said, width()))]


def show(lines: list[tuple[str, str]]) -> None:
    """Print lines, in colour on a terminal that wants it."""
    console = Screen()
    for line, style in lines:
        console.print(Text(line, style))
