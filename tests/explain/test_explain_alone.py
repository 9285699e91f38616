"""The command: what runs, how it ends, and that nothing is disturbed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import preloaded
import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def explain(folder: Path, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """`python -m minigrad_course.explain …` in a folder, with `text` as its standard input."""
    command = [preloaded.python(), "-m", "minigrad_course.explain", *arguments]
    return subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, timeout=240, check=False, env=ENVIRONMENT
    )


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same with Python alone."""
    return subprocess.run(
        [preloaded.python(), *arguments], cwd=folder, capture_output=True, text=True, timeout=240, check=False
    )


MAIN = """import sys
import torch
from helpers import damp
print("arguments", sys.argv[1:], __name__)
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.sigmoid(x)
out = damp(h)
out.sum().backward()
"""


def test_a_program_of_several_files_is_explained_by_all_of_them_and_ends_as_it_does_alone(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("def damp(h):\n    h *= 0.5\n    return h\n")
    (tmp_path / "main.py").write_text(MAIN)
    alone, done = python(tmp_path, "main.py", "--lr", "3"), explain(tmp_path, "main.py", "--lr", "3")
    assert (done.returncode, alone.returncode) == (1, 1)
    assert done.stdout.startswith(alone.stdout + "\n")
    assert done.stderr.replace(str(tmp_path) + os.sep, "") == alone.stderr.replace(str(tmp_path) + os.sep, "")
    said = " ".join(done.stdout.split())
    assert "keeps `h`; line 2 of helpers.py (`h *= 0.5`) changes it in place; the pass on line 8 needs it" in said
    assert "    -   2      h *= 0.5\n    +   2      h = h * 0.5\n    tried: runs to the end" in done.stdout
    assert (tmp_path / "helpers.py").read_text() == "def damp(h):\n    h *= 0.5\n    return h\n"


TRAINING = """import torch
from torch import nn
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
torch.manual_seed(3)
x = torch.randn(8, 2)
for turn in range(5):
    opt.zero_grad()
    loss = (net(x) - 1).pow(2).mean()
    loss.backward()
    opt.step()
print(loss.item(), torch.rand(1).item())
"""


def test_of_a_correct_program_nothing_is_said_but_its_story_if_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\ntorch.manual_seed(0)\n" + TRAINING)
    alone, done = python(tmp_path, "train.py"), explain(tmp_path, "train.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, alone.stdout, alone.stderr)
    story = explain(tmp_path, "--story", "train.py").stdout
    assert story.startswith(alone.stdout) and "5 backward passes, 5 steps of optimizers." in story
    assert "`net.weight`, shape [1, 2]: .grad is tensor(" in story and "its numbers have changed" in story


def test_text_standard_input_modules_and_status(tmp_path: Path) -> None:
    program = "import torch, sys\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nprint(sys.argv[1:])\ny.backward()\n"
    once = "--no-try"
    for done in (explain(tmp_path, once, "-c", program, "-x"), explain(tmp_path, once, "-", "-x", text=program)):
        assert done.stdout.startswith("['-x']\n\nLine 5 starts a pass from `y`"), (done.stdout, done.stderr)
        assert done.returncode == 1 and "RuntimeError: grad can be implicitly" in done.stderr
    (tmp_path / "other.py").write_text(program)
    assert "Line 5 starts a pass from `y`" in explain(tmp_path, once, "-m", "other").stdout
    for code, status in (("import sys; sys.exit(7)", 7), ("raise SystemExit('usage')", 1), ("x = (", 1)):
        done = explain(tmp_path, "-c", code)
        assert (done.returncode, done.stdout) == (status, ""), done
    missing = explain(tmp_path, "missing.py")
    assert (missing.returncode, missing.stdout, missing.stderr) == (2, "", "There is no file missing.py.\n")


PROMPTED = """>>> import torch
>>> x = torch.ones(3, requires_grad=True)
>>> for i in range(2):
...     y = x * 2
...
>>> y.backward()
Traceback (most recent call last):
RuntimeError: grad can be implicitly created only for scalar outputs
"""


def test_a_text_of_a_page_and_a_notebook(tmp_path: Path) -> None:
    (tmp_path / "posted.py").write_text(PROMPTED)
    done = explain(tmp_path, "posted.py")
    assert "Line 6 starts a pass from `y`, which line 4 makes" in done.stdout, done
    assert done.stderr.startswith("Read as copied from a page: without prompts,") and done.returncode == 1
    cells = [["%matplotlib inline\n", "import torch\n", "!ls"], ["x = torch.ones(3, requires_grad=True)\n"]]
    cells += [["# a comment\n", "y = x * 2\n", "y.backward()"]]
    book = {"cells": [{"cell_type": "markdown", "source": ["# Title"]}]}
    book["cells"] += [{"cell_type": "code", "source": each} for each in cells]
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    done = explain(tmp_path, "book.ipynb")
    said = " ".join(done.stdout.split())
    assert "Line 3 of cell 3 starts a pass from `y`, which line 2 of cell 3 makes" in said, done
    assert "    -   3  y.backward()\n    +   3  y.mean().backward()\n" in done.stdout


WRITES = """import torch
open("kept.txt", "a").write("once ")
y = torch.ones(2, requires_grad=True) * 2
y.backward()
"""


def test_a_program_that_does_more_than_compute_is_not_run_again_unless_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text(WRITES)
    done = explain(tmp_path, "writes.py")
    assert "Nothing was tried: it writes kept.txt (line 2). `--try` tries all the same." in done.stdout, done
    assert "  tried:" not in done.stdout and (tmp_path / "kept.txt").read_text() == "once "
    (tmp_path / "kept.txt").unlink()
    done = explain(tmp_path, "--try", "writes.py")
    assert "tried: runs to the end" in done.stdout
    assert (tmp_path / "kept.txt").read_text() == "once "  # tries run in a copy of the folder
    once = explain(tmp_path, "--no-try", "-c", WRITES)
    assert "starts a pass from" in once.stdout and "tried" not in once.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_what_was_seen_before_ctrl_c_is_told(tmp_path: Path) -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nfor i in range(10**9):\n    w.sum().backward()\n"
    (tmp_path / "endless.py").write_text(program + "    if i == 3: print('ready', flush=True)\n")
    command = [preloaded.python(), "-m", "minigrad_course.explain", "endless.py"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    try:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=240)
    finally:
        process.kill()  # else it would go on for ever
    assert (process.returncode, errors) == (130, "Interrupted.\n")
    assert re.match(r"\nSo far: \d+ backward passes, 0 steps of optimizers\.\n", printed), printed
    assert "`w`, shape [2]: .grad is tensor(" in printed


WARNS = """import warnings
import torch
from torch import nn
x, y = torch.zeros(3, 1, requires_grad=True), torch.ones(3)
nn.functional.mse_loss(x, y)
nn.functional.mse_loss(x, y)
loss = nn.MSELoss()(x, y) * 2
loss.grad
warnings.warn("of its own")
loss.backward()
"""


def test_a_warning_names_the_line_that_it_names_without_an_observer(tmp_path: Path) -> None:
    (tmp_path / "warns.py").write_text(WARNS)
    alone, done = python(tmp_path, "warns.py"), explain(tmp_path, "warns.py", "--no-try")
    assert alone.stderr.count("target size") == 3 and "warns.py:9: UserWarning: of its own" in alone.stderr
    assert done.stderr == alone.stderr
