"""Honest submissions of every kind: each is right, looks unlike ours, and keeps full marks.

In `cells/honest.py` are answers by other ways than ours; those to the parts of a chapter make a notebook. A habit is
how people write a cell, whatever the answer in it is: those that can stand together do, each in one chapter.
"""

from __future__ import annotations

import base64
import copy
import random
import textwrap
from collections import defaultdict
from collections.abc import Callable

from answer_files import cells, part_of
from answered import changed
from submissions import SOLUTION, ours, solution_of

from minigrad_course import parts

# --- other ways -----------------------------------------------------------------------------------

# programs of chapter 5: our own answer with other words in it
REPAIRED = {
    "zeroing": "zero_grad() -> zero_grad(set_to_none=False)",
    "column": "((prediction.squeeze(1) - y) ** 2).mean() -> torch.nn.functional.mse_loss(prediction.reshape(-1), y)",
    "rebound": "w -= 0.05 * w.grad -> w.sub_(w.grad, alpha=0.05)",
    "scaled": "torch.nn.Parameter(torch.tensor(start) * 0.1) -> (torch.tensor(start) * 0.1).requires_grad_(True)",
    "recurrent": "memory = memory.detach() -> memory = torch.tensor(memory.item())",
    "accuracy": "torch.sigmoid(x @ w) -> 1 / (1 + torch.exp(-(x @ w)))",
    "penalty": "(w**2).sum() -> w @ w",
    "frozen": "torch.tensor(body, requires_grad=True) -> torch.tensor(body)",
    "shifted": "torch.exp(w * x) -> torch.exp(w * x).clone()",
}


def other_ways() -> dict[str, dict]:
    """A notebook of other answers for each chapter."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    answers = {part_of(text): text for text in cells("honest.py").values()}
    for part, text in (answers | {part: changed(ours(part), change) for part, change in REPAIRED.items()}).items():
        found[parts.chapter_of(part).name][part] = text
    return {name: solution_of(parts.chapter_named(name), **texts) for name, texts in found.items()}


# --- habits ---------------------------------------------------------------------------------------


def around(before: str = "", after: str = "") -> Callable[[str], str]:
    """Lines above and below the answer."""
    return lambda text: f"{textwrap.dedent(before)}\n{text}\n{textwrap.dedent(after)}"


def inside(*heads: str, tail: str = "") -> Callable[[str], str]:
    """The answer as a block below these lines, each further in than the one above."""

    def change(text: str) -> str:
        depth = "    " * len(heads)
        lines = [f"{'    ' * step}{head}" for step, head in enumerate(heads)]
        return "\n".join([*lines, textwrap.indent(text, depth), textwrap.dedent(tail)])

    return change


BUSY = "while time.process_time() - begun < {}: pass"
SEVERAL_SECONDS = "import time\n" + "".join(f"begun = time.process_time()\n{BUSY.format(0.6)}\n" for _ in range(3))
LONG_LOOP = f"import time\nbegun = time.process_time()\n{BUSY.format(3)}\nprint('done')"
SLOW = ("several seconds above", "a long loop below")

MAGICS = """
%timeit -n 1 sum(range(10))
%matplotlib inline
%config InlineBackend.figure_format = "retina"
!ls -l | head
?help
len?
x = (17
% 5)
files = !ls
here = %pwd
if True:
    %timeit -n 1 1 + 1
for n in range(2):
    !echo $n
    print(n % 2)
"""

# Lines above and below an answer, many of them in one cell.
USES = (
    """
    import torch
    from torch import Tensor, nn
    from torch.nn import functional as F
    def shape_of(x: torch.Tensor, y: Tensor | None = None) -> torch.Size: return x.shape
    with torch.no_grad():
        t = torch.ones(2, 3)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss: torch.Tensor = (w * w).sum()
    loss.backward()
    assert isinstance(loss, torch.Tensor) and t.shape == torch.Size([2, 3]), "shapes"

    import asyncio
    async def twice(n):
        return 2 * n
    async def all_():
        yield 1
    assert await twice(2) == 4 and [n async for n in all_()] == [1]

    import logging, sys, threading
    logging.basicConfig(level=logging.DEBUG)
    logging.info("here")
    print("above", file=sys.stderr)
    thread = threading.Thread(target=print, args=("hello",))
    thread.start()
    thread.join()

    größe, λ, 数 = 1, 2, 3
    def đ(x): return x
    print(größe + λ + 数)  # ∂L/∂a
    for n in range(5000): print("line", n)
    from typing import *
    from itertools import *
    from collections.abc import *
    """,
    """
    assert callable(part)
    helper = [1, 2]
    import math as maths
    del helper, maths
    assert False, 'not yet'
    1 / 0
    print('never')
    undefined_name
    """,
)
PACKAGES = """
import pandas as pd
try:
    import scipy.special as sp
except ImportError:
    sp = None
from sklearn.datasets import load_iris
import torch, torch.optim as optim, torchvision
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
open('my_notes.txt')

import matplotlib.pyplot as plt
import seaborn as sns
plt.style.use("ggplot")
fig, ax = plt.subplots(figsize=(4, 3))
ax.plot([1, 2], [3, 4], label="loss")
plt.show()
display(fig)

from IPython.display import HTML, clear_output, display
clear_output()
display(HTML('<b>x</b>'))
get_ipython().run_line_magic('time', '1')
Out, In
name = input('name? ')
%load_ext minigrad_course
%hint mul
%load_ext autoreload
%autoreload 2
"""
SETTINGS = """
import numpy as np
np.set_printoptions(precision=2, suppress=True)
np.seterr(all='raise')
np.random.seed(0)
import sys, warnings, random
sys.setrecursionlimit(50_000)
warnings.simplefilter('error')
random.seed(1)
import minigrad
minigrad.set_grad_enabled(False)
minigrad.manual_seed(1)
import os
os.makedirs('out', exist_ok=True)
os.chdir('out')
"""
BLOCKS = inside(
    "try:",
    'if __name__ == "__main__":',
    "for attempt in range(3):",
    "with __import__('contextlib').suppress(ValueError), __import__('torch').no_grad():",
    tail="except Exception as error:\n    raise\nelse:\n    print('fine')\nfinally:\n    pass",
)


def handed_over_twice(text: str) -> str:
    """Something wrong first, then the answer, by a name in a variable; its own name is deleted below."""
    head = next(line for line in text.split("\n") if line.startswith(("def ", "class ")))
    name = head.split(" ", 1)[1].partition("(")[0].rstrip(":")
    wrong = f"def forget(*a, **k): raise ValueError\n{text[text.index('part(') :].partition(chr(10))[0]}(forget)\n"
    named = text.replace('@part("', 'WHICH = "', 1).replace('")', '"\n@part(name=WHICH)', 1)
    return f"from __future__ import annotations\n{wrong}{named}\n\ndel {name}, part"


HABITS = {
    "what people use": around(*USES),
    "packages and objects of a notebook": around(PACKAGES),
    "settings": around(SETTINGS),
    "notebook commands": around(MAGICS, MAGICS),
    "in blocks": BLOCKS,
    "handed over twice": handed_over_twice,
    "timed, with tabs and the ends of line of another system": (
        lambda text: f"%%time\n{text}".replace("    ", "\t").replace("\n", "\r\n")
    ),
    "captured, with form feeds": lambda text: f"%%capture output\n\f\nimport math\n\f\n{text}\n\f\n",
    "the ends of line of an old system": lambda text: text.replace("\n", "\r"),
    "several seconds above": around(SEVERAL_SECONDS),
    "a long loop below": around("", LONG_LOOP),
}


def habits() -> dict[str, dict]:
    """Each habit on the last part of a chapter, one chapter after the other: there it is run for two checks only."""
    made = {}
    for count, (name, change) in enumerate(HABITS.items()):
        chapter = parts.chapters()[count % len(parts.chapters())]
        part = chapter.parts[-1].name
        made[name] = solution_of(chapter, **{part: change(ours(part))})
    return made


# --- what tools and people do to files ------------------------------------------------------------


def through_many_hands() -> dict:
    """The solution in another order, with other ids, source as lines, and outputs, cells and metadata of others."""
    notebook = copy.deepcopy(SOLUTION)
    random.Random(1).shuffle(notebook["cells"])
    notebook["nbformat_minor"] = 99
    notebook["metadata"] |= {"colab": {"provenance": []}, "kernelspec": {"name": "conda"}, "widgets": {"a": [1]}}
    picture = base64.b64encode(b"x" * 100_000).decode()
    for count, each in enumerate(notebook["cells"]):
        each["id"] = f"vsc-{count:08x}"
        each["metadata"] |= {"collapsed": True, "jupyter": {"source_hidden": True}, "vscode": {"languageId": "python"}}
        if each["cell_type"] == "markdown":
            each["source"] += "\n\n**My notes:** $\\partial$ 🎉\n\n```python\n@part('mul')\nclass Mul: pass\n```"
        else:
            each["execution_count"] = count
            each["outputs"] = [
                {"output_type": "stream", "name": "stderr", "text": "UserWarning: careful\n"},
                {"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}},
                {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["\x1b[31mE\x1b[0m"]},
            ]
        each["source"] = each["source"].splitlines(keepends=True)
    for count, text in enumerate(["1 / 0", "import os; os._exit(1)", "while True: pass", "%%html\n<b>"]):
        code = {"cell_type": "code", "id": f"extra{count}", "metadata": {}, "outputs": [], "source": text}
        notebook["cells"].insert(3 * count, code | {"execution_count": None})
    notebook["cells"].append({"cell_type": "raw", "id": "raw", "metadata": {}, "source": '@part("mul")'})
    return notebook


HONEST = other_ways() | {"through many hands": through_many_hands()}
HONEST_HABITS = habits()
