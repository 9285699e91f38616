"""How honest people write a cell, whatever the answer in it is: each habit is tried on one of the chapters."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable

from submissions import ours

from minigrad_course import parts


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

MAGICS = """
%timeit -n 1 sum(range(10))
%matplotlib inline
%config InlineBackend.figure_format = "retina"
!ls -l | head
!pip install pandas
?help
len?
x = (17
% 5)
files = !ls
here = %pwd
rest = (
    12 + 5
    % 3
)
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
    "a walrus above": around("if (n := len('abc')) > 2: print(n)\nprint(y := 3, y ** 2)"),
    "match above": around("match [1, 2]:\n    case [a_, *rest]:\n        print(rest)\n    case _:\n        pass"),
    "a dataclass above": around(
        "from dataclasses import dataclass, field\n@dataclass(slots=True, kw_only=True)\nclass Config:\n"
        "    rate: float = 0.1\n    names: list = field(default_factory=list)\nconfig = Config(rate=1.0)\nconfig"
    ),
    "caching": around(
        "from functools import cache, lru_cache\n@cache\n"
        "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(50)"
    ),
    "asserts": around("assert 1 + 1 == 2, 'arithmetic'", "assert callable(part)\nassert False, 'not yet'"),
    "logging": around(
        "import logging\nlogging.basicConfig(level=logging.DEBUG)\nlog = logging.getLogger(__name__)\nlog.info('here')"
    ),
    "prints to standard error": around(
        "import sys\nprint('above', file=sys.stderr)", "print('below', file=sys.stderr)"
    ),
    "a docstring for the cell": around('"""My answer.\n\nI thought about this for a *long* time.\n"""'),
    "an await above": around("import asyncio\nawait asyncio.sleep(0)"),
    "an await of its own": around(
        "async def twice(n):\n    return 2 * n\nfour = await twice(2)\nasync def all_():\n    yield 1\n"
        "found = [n async for n in all_()]\nassert four == 4 and found == [1]"
    ),
    "several seconds above": around(SEVERAL_SECONDS),
    "several seconds below": around("", SEVERAL_SECONDS),
    "a long loop above": around(LONG_LOOP),
    "a long loop below": around("", LONG_LOOP),
    "a pause": around("import time\ntime.sleep(1)"),
    "notebook commands": around(MAGICS, MAGICS),
    "timed as a whole": lambda text: f"%%time\n{text}",
    "captured as a whole": lambda text: f"%%capture output\n{text}",
    "commands in blocks": around(
        "if True:\n    %timeit -n 1 1 + 1\nfor n in range(2):\n    !echo $n\n    print(n % 2)"
    ),
    "in try": inside(
        "try:", tail="except Exception as error:\n    raise\nelse:\n    print('fine')\nfinally:\n    pass"
    ),
    "if True": inside("if True:"),
    "if it is the main module": inside('if __name__ == "__main__":'),
    "in a loop": inside("for attempt in range(3):"),
    "in a with and an if": inside("import contextlib\nwith contextlib.suppress(ValueError):", "if 1 < 2:"),
    "answered twice": lambda text: f"{text[: text.index('def')]}{text[text.index('def') :]}\n\n# once more\n{text}",
    "wrong first": lambda text: f"def forget(*a, **k): raise ValueError\n{handed_over(text)('forget')}\n{text}",
    "unicode names": around(
        "größe, λ, 数 = 1, 2, 3\ndef ∂(x): return x\n".replace("∂", "đ") + "print(größe + λ + 数)  # ∂L/∂a"
    ),
    "tabs": replaced("    ", "\t"),
    "lines end as on another system": replaced("\n", "\r\n"),
    "lines end as on an old system": replaced("\n", "\r"),
    "form feeds": lambda text: f"\f\nimport math\n\f\n{text}\n\f\n",
    "spaces at the ends of lines": replaced("\n", "   \n"),
    "many blank lines": replaced("\n", "\n\n\n"),
    "semicolons and continued lines": around("a_ = 1; b_ = 2; \\\nc_ = 3;", "print(a_ + \\\n    b_);"),
    "a global": around("calls = 0\ndef count():\n    global calls\n    calls += 1\ncount()"),
    "a closure": around(
        "def counter():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n        return n\n"
        "    return up\ncounter()()"
    ),
    "lambdas and partials": around(
        "from functools import partial, reduce\ntwice = lambda x: 2 * x\nadd = partial(lambda a, b: a + b, 1)\n"
        "reduce(add.func, [1, 2, 3])"
    ),
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
        from tqdm.auto import tqdm
        """
    ),
    "torch's modules": around(
        "import torch.nn as nn\nimport torch.optim as optim\nimport torch.nn.functional as F\n"
        "from torch.autograd import Function as TorchFunction, gradcheck\nimport torchvision\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')"
    ),
    "settings of numpy": around(
        "import numpy as np\nnp.set_printoptions(precision=2, suppress=True)\nnp.seterr(all='raise')\nnp.random.seed(0)"
    ),
    "settings of Python": around(
        "import sys, warnings, random\nsys.setrecursionlimit(50_000)\nwarnings.simplefilter('error')\nrandom.seed(1)"
    ),
    "recording left off": around("import minigrad\nminigrad.set_grad_enabled(False)"),
    "seeds": around("import torch, random\ntorch.manual_seed(0)\nrandom.seed(0)\ntorch.rand(3)"),
    "an error below": around("", "1 / 0\nprint('never')\nundefined_name"),
    "an error above": around("open('my_notes.txt')\n1 / 0"),
    "reads a file": around("with open('/tmp/data.csv') as file:\n    rows = file.read()"),
    "a thread": around(
        "import threading\nthread = threading.Thread(target=print, args=('hello',))\nthread.start()\nthread.join()"
    ),
    "commented code": around(
        "# old attempt:\n# @part('x')\n# class Mul(Function): pass\n'''\nclass Old:\n    pass\n'''"
    ),
    "its own decorator": around(
        "import functools\ndef timed(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n        return f(*a, **k)\n"
        "    return inner\n@timed\ndef nothing(): pass\nnothing()"
    ),
    "handed over by a keyword": lambda text: text.replace("@part(", "@part(name="),
    "handed over with a name": lambda text: text.replace('@part("', 'WHICH = "', 1).replace('")', '"\n@part(WHICH)', 1),
    "type variables and protocols": around(
        "from typing import Any, Callable, Generic, NamedTuple, Protocol, TypedDict, TypeVar, overload\n"
        "T = TypeVar('T')\n"
        "class Pair(NamedTuple):\n    a: int\n    b: 'Pair | None' = None\nclass Box(Generic[T]):\n    item: T"
    ),
    "an enumeration": around(
        "from enum import Enum, auto\nclass Mode(Enum):\n    ON = auto()\n    OFF = auto()\nlist(Mode)"
    ),
    "annotations from the future": lambda text: f"from __future__ import annotations\n{text}",
    "stars": around("from typing import *\nfrom itertools import *\nfrom collections.abc import *"),
    "a tracker of experiments": around(
        "import wandb\nwandb.init(project='x')\nfrom google.colab import drive\ndrive.mount('/d')"
    ),
    "a widget": around(
        "from IPython.display import HTML, clear_output, display\nclear_output()\ndisplay(HTML('<b>x</b>'))"
    ),
    "asks the keyboard": around("name = input('name? ')"),
    "prints a lot": around("for n in range(5000): print('line', n)"),
    "loads the extension again": around("%load_ext minigrad_course\n%hint mul\n%load_ext autoreload\n%autoreload 2"),
    "a check above": around("minigrad_check = '%%check mul'\n# %%check mul"),
    "leaves the process's folder": around("import os\nos.makedirs('out', exist_ok=True)\nos.chdir('out')"),
    "environment": around("import os\nos.environ['KMP_DUPLICATE_LIB_OK'] = 'TRUE'\nos.environ.get('HOME')"),
}


def name_of(text: str) -> str:
    """What the answer in a cell is called."""
    head = next(line for line in text.split("\n") if line.startswith(("def ", "class ")))
    return head.split(" ", 1)[1].partition("(")[0].rstrip(":")


def handed_over(text: str) -> Callable[[str], str]:
    """A line that hands something else over for the same part."""
    part = text[text.index("@part(") + 1 :].split("\n", 1)[0]
    return lambda name: f"{part}({name})"


def answers() -> dict[str, dict[str, str]]:
    """Each habit on the last part of a chapter, one chapter after the other: there it is run for two checks only."""
    last = [chapter.parts[-1].name for chapter in parts.chapters()]
    return {
        f"{name} ({part})": {part: change(ours(part))}
        for (name, change), part in zip(HABITS.items(), itertools.cycle(last), strict=False)
    }


ANSWERS = answers()
