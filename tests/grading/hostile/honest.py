"""Honest submissions of every kind: each is right, looks unlike ours, and keeps full marks.

In `cells/honest/` are answers by other ways than ours, and in `cells/decisions.py` those that say where they decide.
The first one to each part of a chapter makes a notebook, the second ones another. A habit is how people write a cell,
whatever the answer in it is: each is tried on one chapter.
"""

from __future__ import annotations

import base64
import copy
import itertools
import random
import textwrap
from collections import defaultdict
from collections.abc import Callable

from answer_files import cells, part_of
from by_heart import DECIDING, written
from submissions import CHAPTER, SOLUTION, cell, ours, solution_of

from minigrad_course import parts

# --- other ways -----------------------------------------------------------------------------------

# programs of chapter 5: our own answer with other words in it
REPAIRED = {
    "zeroing": [("optimizer.zero_grad()", "w.grad = None")],
    "zeroing, set to zero": [("zero_grad()", "zero_grad(set_to_none=False)")],
    "column": [("prediction.squeeze(1) - y", "prediction - y.unsqueeze(1)")],
    "column, by a loss of torch": [
        ("((prediction.squeeze(1) - y) ** 2).mean()", "torch.nn.functional.mse_loss(prediction.reshape(-1), y)")
    ],
    "rebound": [("w -= 0.05 * w.grad", "w.sub_(w.grad, alpha=0.05)")],
    "scaled": [
        ("torch.nn.Parameter(torch.tensor(start) * 0.1)", "(torch.tensor(start) * 0.1).detach().requires_grad_(True)")
    ],
    "recurrent": [("memory = memory.detach()", "memory.detach_()")],
    "recurrent, as a number": [("memory = memory.detach()", "memory = torch.tensor(memory.item())")],
    "masked": [
        ("known = torch.where(x > 0, x, torch.ones_like(x))", "known = x > 0"),
        ("(torch.log(w * known) - y) ** 2", "(torch.log(w * x[known]) - y[known]) ** 2"),
        ("torch.where(x > 0, errors, torch.zeros_like(x)).sum()", "errors.sum()"),
    ],
    "accuracy": [("torch.sigmoid(x @ w)", "1 / (1 + torch.exp(-(x @ w)))")],
    "penalty": [("(w**2).sum()", "w @ w")],
    "penalty, as weight decay": [("lr=0.05", "lr=0.05, weight_decay=4"), ("(w**2).sum()", "(w**2).sum().item()")],
    "frozen": [("torch.tensor(body, requires_grad=True)", "torch.tensor(body)"), ("[body, head]", "[head]")],
    "frozen, switched off": [(".detach()", ""), ("    optimizer =", "    body.requires_grad_(False)\n    optimizer =")],
    "shifted": [("torch.exp(w * x)\n        h = h + 1\n", "torch.exp(w * x) + 1\n")],
    "shifted, on a copy": [("torch.exp(w * x)\n        h = h + 1", "torch.exp(w * x).clone()\n        h += 1")],
}


def repaired(name: str) -> tuple[str, str]:
    """A part and an answer to it."""
    part = name.partition(",")[0]
    text = ours(part)
    for before, after in REPAIRED[name]:
        assert before in text, f"{part} has no {before}"
        text = text.replace(before, after)
    return part, text


def other_ways() -> dict[str, dict]:
    """Notebooks of other answers: as many of a chapter as there are to one of its parts."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    files = (cells(f"honest/{name}.py") for name in ("scalar", "upstream", "jacobian", "leaves", "training"))
    answers = [(part_of(text), text) for each in files for text in each.values()] + [*map(repaired, REPAIRED)]
    answers += [(part, written(part, "def decide(right): return right()\n")) for part in DECIDING]
    for part, text in answers:
        notebooks = found[parts.chapter_of(part).name]
        free = next((each for each in notebooks if part not in each), None)
        if free is None:
            notebooks.append(free := {})
        free[part] = text
    return {
        f"{name}, {count}": solution_of(parts.chapter_named(name), **answers)
        for name, notebooks in found.items()
        for count, answers in enumerate(notebooks, start=1)
    }


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


def replaced(old: str, new: str) -> Callable[[str], str]:
    """Some characters by others."""
    return lambda text: text.replace(old, new)


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

HABITS = {
    "annotations of torch": around(
        "import torch\nfrom torch import Tensor, nn\nfrom torch.nn import functional as F\n"
        "def shape_of(x: torch.Tensor, y: Tensor | None = None) -> torch.Size: return x.shape"
    ),
    "an experiment with torch": around(
        """
        import torch
        with torch.no_grad():
            t = torch.ones(2, 3)
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        loss: torch.Tensor = (w * w).sum()
        loss.backward()
        assert isinstance(loss, torch.Tensor) and t.shape == torch.Size([2, 3])
        """
    ),
    "under no_grad": inside("import torch\nwith torch.no_grad():"),
    "asserts": around("assert 1 + 1 == 2, 'arithmetic'", "assert callable(part)\nassert False, 'not yet'"),
    "logging": around(
        "import logging, sys\nlogging.basicConfig(level=logging.DEBUG)\nlogging.info('here')\n"
        "print('above', file=sys.stderr)"
    ),
    "an await": around(
        "import asyncio\nawait asyncio.sleep(0)\nasync def twice(n):\n    return 2 * n\nfour = await twice(2)\n"
        "async def all_():\n    yield 1\nfound = [n async for n in all_()]\nassert four == 4 and found == [1]"
    ),
    "several seconds above": around(SEVERAL_SECONDS),
    "a long loop below": around("", LONG_LOOP),
    "notebook commands": around(MAGICS, MAGICS),
    "timed as a whole": lambda text: f"%%time\n{text}",
    "captured as a whole": lambda text: f"%%capture output\n{text}",
    "in try": inside(
        "try:", tail="except Exception as error:\n    raise\nelse:\n    print('fine')\nfinally:\n    pass"
    ),
    "if it is the main module": inside('if __name__ == "__main__":'),
    "in a loop": inside("for attempt in range(3):"),
    "in a with and an if": inside("import contextlib\nwith contextlib.suppress(ValueError):", "if 1 < 2:"),
    "wrong first": lambda text: f"def forget(*a, **k): raise ValueError\n{handed_over(text)}(forget)\n{text}",
    "unicode names": around("größe, λ, 数 = 1, 2, 3\ndef đ(x): return x\nprint(größe + λ + 数)  # ∂L/∂a"),
    "tabs": replaced("    ", "\t"),
    "lines end as on another system": replaced("\n", "\r\n"),
    "lines end as on an old system": replaced("\n", "\r"),
    "form feeds": lambda text: f"\f\nimport math\n\f\n{text}\n\f\n",
    "deleted afterwards": around("helper = [1, 2]\nimport math as maths", "del helper, maths\ndel part"),
    "its own name deleted": lambda text: f"{text}\n\ndel {name_of(text)}",
    "a plot": around(
        """
        import matplotlib.pyplot as plt
        import seaborn as sns
        %matplotlib inline
        plt.style.use("ggplot")
        fig, ax = plt.subplots(figsize=(4, 3))
        ax.plot([1, 2], [3, 4], label="loss")
        plt.show()
        display(fig)
        """
    ),
    "packages that are not there": around(
        """
        import pandas as pd
        try:
            import scipy.special as sp
        except ImportError:
            sp = None
        from sklearn.datasets import load_iris
        import torch.optim as optim, torchvision
        device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
        """
    ),
    "settings of numpy": around(
        "import numpy as np\nnp.set_printoptions(precision=2, suppress=True)\nnp.seterr(all='raise')\nnp.random.seed(0)"
    ),
    "settings of Python": around(
        "import sys, warnings, random\nsys.setrecursionlimit(50_000)\nwarnings.simplefilter('error')\nrandom.seed(1)"
    ),
    "recording left off": around("import minigrad\nminigrad.set_grad_enabled(False)\nminigrad.manual_seed(1)"),
    "an error below": around("", "1 / 0\nprint('never')\nundefined_name"),
    "an error above": around("open('my_notes.txt')\n1 / 0"),
    "a thread": around(
        "import threading\nthread = threading.Thread(target=print, args=('hello',))\nthread.start()\nthread.join()"
    ),
    "handed over by a keyword": lambda text: text.replace("@part(", "@part(name="),
    "handed over with a name": lambda text: text.replace('@part("', 'WHICH = "', 1).replace('")', '"\n@part(WHICH)', 1),
    "annotations from the future": lambda text: f"from __future__ import annotations\n{text}",
    "stars": around("from typing import *\nfrom itertools import *\nfrom collections.abc import *"),
    "objects of the notebook": around(
        "from IPython.display import HTML, clear_output, display\nclear_output()\ndisplay(HTML('<b>x</b>'))\n"
        "get_ipython().run_line_magic('time', '1')\nOut, In\nname = input('name? ')"
    ),
    "prints a lot": around("for n in range(5000): print('line', n)"),
    "loads the extension again": around("%load_ext minigrad_course\n%hint mul\n%load_ext autoreload\n%autoreload 2"),
    "leaves the process's folder": around("import os\nos.makedirs('out', exist_ok=True)\nos.chdir('out')"),
}


def name_of(text: str) -> str:
    """What the answer in a cell is called."""
    head = next(line for line in text.split("\n") if line.startswith(("def ", "class ")))
    return head.split(" ", 1)[1].partition("(")[0].rstrip(":")


def handed_over(text: str) -> str:
    """What hands something over for the part of a cell."""
    return text[text.index("@part(") + 1 :].split("\n", 1)[0]


def habits() -> dict[str, dict]:
    """Each habit on the last part of a chapter, one chapter after the other: there it is run for two checks only."""
    chapters = itertools.cycle(parts.chapters())
    pairs = zip(HABITS.items(), chapters, strict=False)
    made = ((name, change, chapter, chapter.parts[-1].name) for (name, change), chapter in pairs)
    return {name: solution_of(chapter, **{part: change(ours(part))}) for name, change, chapter, part in made}


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


def answers_elsewhere() -> dict:
    """Some answers below the cells that are there for them, in a notebook without ids."""
    notebook = copy.deepcopy(SOLUTION)
    for part in CHAPTER.parts[:3]:
        found = cell(notebook, part.name)
        notebook["cells"].append(dict(found, id=f"{part.name}-moved"))
        found["source"] = "# see below"
    for each in notebook["cells"]:
        each.pop("id")
    notebook["nbformat_minor"] = 4
    return notebook


HONEST = other_ways() | {"through many hands": through_many_hands(), "answers elsewhere": answers_elsewhere()}
HONEST_HABITS = habits()
