"""`minigrad run`: what a script sees, and what its reader sees, beside `python FILE.py`."""

from __future__ import annotations

import importlib.util
import os
import pkgutil
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import minigrad
from minigrad_course.cli import app
from minigrad_course.programs import torch_shim

SECONDS = 60
PLAIN_PYTHON = [sys.executable]
RUN = [sys.executable, "-m", "minigrad_course", "run"]


def ended(command: list[str], folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with `text` as its standard input."""
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PYTHONSAFEPATH")}
    return subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
    )


def run(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`minigrad run script.py` in a folder, where the script is `program`."""
    (folder / "script.py").write_text(program, encoding="utf-8")
    return ended([*RUN, "script.py", *arguments], folder)


# --- what the script sees ------------------------------------------------------------------------


def test_a_torch_script_runs_on_minigrad_and_neither_torch_nor_the_notebook_libraries_are_imported(
    tmp_path: Path,
) -> None:
    heavy = {"IPython", "matplotlib", "nbformat", "pytest", "rich.markdown"}
    program = (
        f"import sys\nprint({heavy!r} & sys.modules.keys())\nimport torch\n"
        "x = torch.tensor([1., 2.], requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
        "print(torch.__name__, sorted({module.__name__.split('.')[0] for name, module in sys.modules.items()\n"
        "                             if name.split('.')[0] == 'torch'}))\n"
    )
    done = run(tmp_path, program)
    assert done.stdout == "set()\ntensor([2., 4.])\nminigrad ['minigrad']\n", done.stderr
    assert (done.returncode, done.stderr) == (0, "")


IMPORTS = [
    "import torch",
    "import torch.nn as nn; nn.Linear(1, 1)",
    "import torch.nn.functional as F; F.relu(torch.ones(1))",
    "from torch import nn, optim; optim.SGD",
    "from torch.autograd import Variable, Function, grad",
    "from torch.autograd.functional import jacobian",
    "import torch.optim as optim; optim.Adam",
    "from torch.nn import functional as F; F.relu",
    "import torch.autograd.functional as AF; AF.hessian",
    "import torch.autograd; torch.autograd.grad",
    "from torch.autograd.function import once_differentiable",
    "from torch.autograd.variable import Variable",
    "from torch.nn.parameter import Parameter",
    "from torch.nn.modules import Module",
    "from torch import Tensor, tensor",
    "import torch.backends.cudnn as cudnn; cudnn.benchmark = False; cudnn.deterministic = False",
    "from torch.utils.data import DataLoader, TensorDataset",
    "import torch.utils.data as data; data.random_split",
    "from torch.serialization import load",
    "from torch.optim.lr_scheduler import OneCycleLR",
]


def test_the_stand_in_serves_every_module_that_both_have() -> None:
    above = tuple(f"minigrad.{name}" for name in ("course", "runtime", "__main__"))
    both = ["torch", *torch_shim.ELSEWHERE]
    for module in pkgutil.walk_packages(minigrad.__path__, "minigrad."):
        name = module.name.replace("minigrad", "torch", 1)
        if not module.name.startswith(above) and is_module_of_torch(name):
            both.append(name)
    assert list(torch_shim.MODULES) == sorted(both)


def is_module_of_torch(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):  # nor is its parent; or it is an object of torch's, as torch.ops
        return False


def test_the_stand_in_comes_too_late_once_torch_is_there() -> None:
    assert sys.modules["torch"] is torch
    with pytest.raises(RuntimeError, match=r"^torch is already imported"):
        torch_shim.install()
    assert sys.modules["torch"] is torch


# a line, what it cannot have, and how the sentence about it begins
LACKING = [
    (
        "import torch.jit.frontend",
        "torch.jit",
        "minigrad has no torch.jit (compilers, processes and distributions): run this with torch",
    ),
    (
        "from torch.distributed import rpc",
        "torch.distributed",
        "minigrad has no torch.distributed (",
    ),
    (
        "import torch.nn.utils.rnn",
        "torch.nn.utils.rnn",
        "minigrad has no torch.nn.utils.rnn (recurrent layers): run this with torch",
    ),
    (
        "import torch.nn.functional.conv",
        "torch.nn.functional.conv",
        "minigrad has no module torch.nn.functional.c",
    ),
    ("import torch.scalar", "torch.scalar", "minigrad has no module torch.scalar: it has "),
    ("import torchvision", "torchvision", "torchvision needs torch itself, but here minigrad replaces torch"),
    ("from torchvision import datasets", "torchvision", "torchvision needs torch itself, but here minigrad"),
]


def test_every_way_to_import_torch_gives_minigrad_and_what_it_lacks_is_an_error_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "torch_helpers.py").write_text("import torch\none = torch.ones(1)\n")  # a name that begins with torch
    ways = [*IMPORTS, "import torch_helpers; torch_helpers.one"]
    lines = [f"try:\n    {each}\nexcept Exception as error:\n    print({each!r}, repr(error))\n" for each in ways]
    lines += [f"try:\n    {line}\nexcept ImportError as error:\n    print(error.name, error)\n" for line, *_ in LACKING]
    done = run(tmp_path, "import torch\n" + "".join(lines))
    assert done.returncode == 0, done.stderr
    for said, (_, name, sentence) in zip(done.stdout.splitlines(), LACKING, strict=True):
        assert said.startswith(f"{name} {sentence}")
    for each in IMPORTS:  # torch has these ways too
        exec(each, {"torch": torch})


def test_a_module_that_minigrad_lacks_has_no_line_of_ours_in_its_traceback(tmp_path: Path) -> None:
    line, _, sentence = LACKING[0]
    done = run(tmp_path, f"{line}\n")
    *above, last = done.stderr.splitlines()
    assert last.startswith(f"ModuleNotFoundError: {sentence}")
    place = f'  File "{tmp_path / "script.py"}", line 1, in <module>'
    assert above == ["Traceback (most recent call last):", place, f"    {line}"]
    assert done.returncode == 1


MIRROR = """
import __main__, dataclasses, os, pickle, sys, typing
from mine import beside
print(__name__, __file__, sys.argv, sys.path[0], beside, __doc__, __spec__, __package__)
print(__main__.__dict__ is globals())
@dataclasses.dataclass
class Point:
    x: int
print(pickle.loads(pickle.dumps(Point(3))), typing.get_type_hints(Point))
print(os.getcwd())
"""


def test_a_script_sees_what_python_would_show_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for folder in (tmp_path, tmp_path / "inner"):
        (folder / "mine.py").write_text(f"beside = {folder.name!r}\n")
        (folder / "script.py").write_text(MIRROR)
    (tmp_path / "link.py").symlink_to(tmp_path / "inner" / "script.py")
    arguments = ["./inner/../link.py", "--rate", "0.1", "-v", "--help", "--", "more words"]
    theirs, ours = ended([*PLAIN_PYTHON, *arguments], tmp_path), ended([*RUN, *arguments], tmp_path)
    assert ours.stdout == theirs.stdout
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr) == (0, "")


# --- what the reader sees ------------------------------------------------------------------------

ENDINGS = {
    "warnings, too deep, at the end, and an error raised from another": (
        "import atexit, warnings\natexit.register(print, 'bye')\nx = 1\nprint(x is 1)\n"
        "def f():\n    warnings.warn('w', stacklevel=2)\nf()\nf()\nwarnings.warn('old', DeprecationWarning)\n"
        "def g():\n    g()\ntry:\n    g()\nexcept RecursionError as e:\n    print(e)\n"
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e"
    ),
    "an error of its own kind": "class Odd(BaseException): pass\nraise Odd('x')",
    "a hook for errors": "import sys\nsys.excepthook = lambda *three: print('hooked', three[0].__name__)\n1 / 0",
    "no Python": "# coding: latin-1\nx = 1\nx = = 2",
}


@pytest.mark.parametrize("program", ENDINGS.values(), ids=ENDINGS)
def test_a_script_ends_as_python_would_end_it(program: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(program + "\n")
    theirs, ours = (ended([*command, "script.py"], tmp_path) for command in (PLAIN_PYTHON, RUN))
    assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, theirs.stderr, theirs.returncode)


def test_warnings_and_errors_of_the_engine_name_the_line_of_the_script(tmp_path: Path) -> None:
    program = (
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\ny.grad\n"
        "def f(t):\n    return t.T\nf(torch.ones(1, 2, 3))\ny.backward()\n"
    )
    done = run(tmp_path, program)
    warned, _, raised = done.stderr.partition("Traceback (most recent call last):\n")
    assert [line for line in warned.splitlines() if "Warning: " not in line] == ["  y.grad", "  return t.T"]
    starts = [line.partition(": The ")[0] for line in warned.splitlines() if "Warning: " in line]
    place = tmp_path / "script.py"
    assert starts == [f"{place}:4: UserWarning", f"{place}:6: UserWarning"]
    first, *_, last = raised.splitlines()
    assert first == f'  File "{place}", line 8, in <module>'
    assert last == "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert not [name for name in ("torch_shim", "run.py", "commands", "typer", "runpy") if name in done.stderr]
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_ends_it_with_a_word(tmp_path: Path) -> None:
    # Of a signal that comes just before a sleep begins, Python hears when it is over: so none is long.
    program = "import time\nprint('ready', flush=True)\nfor _ in range(600):\n    time.sleep(0.1)\n"
    (tmp_path / "script.py").write_text(program)
    process = subprocess.Popen(
        [*RUN, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=SECONDS)
    assert (printed, errors, process.returncode) == ("", "Interrupted.\n", 130)


def prepared(folder: Path) -> None:
    """Files that are no scripts."""
    (folder / "book.ipynb").write_text('{"cells": []}')
    (folder / "folder.py").mkdir()


FAILING = """import torch
def dotted(x):
    return x @ torch.ones(5)
def hook(grad):
    dotted(torch.ones(3))
x = torch.ones(3, requires_grad=True)
x.register_hook(hook)
try:
    {}['a']
except KeyError:
    (x * 2).sum().backward()
"""


def test_frames_of_the_engine_are_folded_and_can_be_shown(tmp_path: Path) -> None:
    done = run(tmp_path, FAILING)
    lines = [line for line in done.stderr.splitlines() if not set(line) <= set(" ~^")]
    folds = [line for line in lines if " in minigrad (minigrad run --frames shows them)" in line]
    assert len(folds) == 2 and str(Path(minigrad.__file__).parent) not in done.stderr
    assert lines[-2] == folds[-1] and lines[-3].strip() == "return x @ torch.ones(5)"
    assert "During handling" in done.stderr and "KeyError: 'a'" in done.stderr  # the chain stays
    whole = ended([*RUN, "--frames", "script.py"], tmp_path)
    assert str(Path(minigrad.__file__).parent) in whole.stderr and " in minigrad (" not in whole.stderr
    assert whole.stderr.splitlines()[-1] == done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-c", "import sys; print(sys.argv, repr(sys.path[0]), __name__)", "a", "--seed", "3"], ""),
        (["-m", "script", "-h"], ""),
        (["-", "a", "--b"], "import sys\nprint(__name__, sys.argv[1:], repr(sys.path[0]), __file__)\n1 / 0\n"),
    ],
    ids=str,
)
def test_a_text_a_module_or_standard_input_runs_as_python_runs_it(
    arguments: list[str], text: str, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text("import sys\nprint(sys.argv[1:], __name__, sys.path[0])\n")
    theirs, ours = (ended([*command, *arguments], tmp_path, text) for command in (PLAIN_PYTHON, RUN))
    assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode)
    assert ours.stderr.splitlines()[-1:] == theirs.stderr.splitlines()[-1:]


def test_a_seed_comes_before_the_script(tmp_path: Path) -> None:
    program = "import random, numpy, torch\nprint(random.random(), numpy.random.rand(), torch.rand(2).tolist())\n"
    (tmp_path / "script.py").write_text(program)
    with torch.random.fork_rng():
        torch.manual_seed(7)
        wanted = random.Random(7).random(), np.random.RandomState(7).rand(), torch.rand(2).tolist()
    assert ended([*RUN, "--seed", "7", "script.py"], tmp_path).stdout == "{} {} {}\n".format(*wanted)


def test_what_is_no_script_gets_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    sentences = {
        ("none.py",): "There is no file none.py.",
        ("folder.py",): "folder.py is a folder; this command takes a Python file.",
        ("book.ipynb",): "book.ipynb: this is not a notebook.",
        ("-m", "nowhere"): "No module named nowhere.",
        ("-m", "nowhere", "-c", "1"): "No module named nowhere.",  # what stands after -m is the module's
    }
    for typed, sentence in sentences.items():
        done = CliRunner().invoke(app, ["run", *typed])
        assert done.stderr.startswith(sentence) and done.stderr.count("\n") == 1, typed
        assert (done.stdout, done.exit_code) == ("", 2), typed
