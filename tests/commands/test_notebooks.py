"""`run`, `explain` and `compare` of a notebook: its code cells in order, without magics; errors name cell and line."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import preloaded
from typer.testing import CliRunner, Result

from minigrad_course.cli import app

MAGIC = "%matplotlib inline\nimport torch\n!exit 3"
FOREIGN = "%%bash\nexit 3"
TIMED = "%%time\nx = torch.tensor([1.0, 2.0], requires_grad=True)"
GOOD = [MAGIC, FOREIGN, TIMED, "(x * x).sum().backward()\nprint(x.grad)"]
BAD = ["import torch\nx = torch.ones(2, requires_grad=True)", "y = x.exp()", "y += 1\ny.sum().backward()"]


PLAIN = [MAGIC.replace("import torch", "x = 2"), FOREIGN, "%%time\nprint(x * 2)"]  # for which torch is not imported


def write(cells: list[str], folder: Path) -> None:
    """A notebook with these cells below a title."""
    title = {"cell_type": "markdown", "metadata": {}, "source": "# A title"}
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": each.splitlines(True)} for each in cells]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [title, *code]}
    (folder / "book.ipynb").write_text(json.dumps(notebook))


def run(cells: list[str], folder: Path, command: str = "run") -> subprocess.CompletedProcess[str]:
    """A command on a notebook, in a process of its own: for `run`, torch must not be there yet."""
    write(cells, folder)
    call = [sys.executable if command == "run" else preloaded.python(), "-m", "minigrad_course", command, "book.ipynb"]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=120, env=environment, check=False)


def called(cells: list[str], folder: Path, *typed: str) -> Result:
    """Another command on a notebook, in this process."""
    write(cells, folder)
    with contextlib.chdir(folder):
        return CliRunner().invoke(app, [*typed, "book.ipynb"], env={"COLUMNS": "100"})


def test_the_code_cells_run_in_order_and_magics_are_left_out(tmp_path: Path) -> None:
    done = run(GOOD, tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "tensor([2., 4.])\n")
    explained = called(GOOD, tmp_path, "explain")
    assert (explained.exit_code, explained.stderr) == (0, "") and "tensor([2., 4.])" in explained.stdout
    compared = called(PLAIN, tmp_path, "compare", "--no-seed")
    assert (compared.exit_code, compared.stderr) == (0, "") and "minigrad and torch agree: 1 line" in compared.stdout


def test_an_error_names_the_cell_and_the_line_in_it(tmp_path: Path) -> None:
    done = run(BAD, tmp_path)
    assert done.returncode == 1 and f'File "{tmp_path / "book.ipynb"}/cell 3", line 2, in <module>' in done.stderr
    assert "    y.sum().backward()\n" in done.stderr
    told = run(BAD, tmp_path, "explain").stdout
    assert "line 1 of cell 2  y = x.exp()" in told and "line 1 of cell 3  y += 1" in told
    assert "      cell 3\n    -   1  y += 1\n    +   1  y = y + 1\n    tried: runs to the end" in told


def test_a_cell_that_is_not_python_is_named(tmp_path: Path) -> None:
    cells = ["import torch", "x = 1\nx = = 2"]
    done = run(cells, tmp_path)
    found = [(done.returncode, done.stdout, done.stderr)]
    for typed in (["explain"], ["compare", "--no-seed"]):
        ended = called(cells, tmp_path, *typed)
        found.append((ended.exit_code, ended.stdout, ended.stderr))
    assert [(status, printed) for status, printed, _ in found] == [(1, ""), (1, ""), (2, "")]
    for *_, errors in found:
        assert "cell 2" in errors and "line 2" in errors and "Traceback" not in errors
