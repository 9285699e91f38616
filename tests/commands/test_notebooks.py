"""`run`, `explain` and `compare` of a notebook: its code cells in order, without magics; errors name cell and line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MAGIC = "%matplotlib inline\nimport torch\n!exit 3"
FOREIGN = "%%bash\nexit 3"
TIMED = "%%time\nx = torch.tensor([1.0, 2.0], requires_grad=True)"
GOOD = [MAGIC, FOREIGN, TIMED, "(x * x).sum().backward()\nprint(x.grad)"]
BAD = ["import torch\nx = torch.ones(2, requires_grad=True)", "y = x.exp()", "y += 1\ny.sum().backward()"]


def ended(command: str, cells: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command on a notebook with these cells below a title."""
    title = {"cell_type": "markdown", "metadata": {}, "source": "# A title"}
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": each.splitlines(True)} for each in cells]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [title, *code]}
    (folder / "book.ipynb").write_text(json.dumps(notebook))
    call = [sys.executable, "-m", "minigrad", command, "book.ipynb"]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=120, env=environment, check=False)


@pytest.mark.parametrize("command", ["run", "explain", "compare"])
def test_the_code_cells_run_in_order_and_magics_are_left_out(tmp_path: Path, command: str) -> None:
    done = ended(command, GOOD, tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and "tensor([2., 4.])" in done.stdout
    assert command != "compare" or "minigrad and torch agree: 1 line" in done.stdout


def test_an_error_names_the_cell_and_the_line_in_it(tmp_path: Path) -> None:
    done = ended("run", BAD, tmp_path)
    assert done.returncode == 1 and f'File "{tmp_path / "book.ipynb"}/cell 3", line 2, in <module>' in done.stderr
    assert "    y.sum().backward()\n" in done.stderr
    told = ended("explain", BAD, tmp_path).stdout
    assert "line 1 of cell 2  y = x.exp()" in told and "line 1 of cell 3  y += 1" in told
    assert "      cell 3\n    -   1  y += 1\n    +   1  y = y + 1\n    tried: runs to the end" in told


@pytest.mark.parametrize(("command", "status"), [("run", 1), ("explain", 1), ("compare", 2)])
def test_a_cell_that_is_not_python_is_named(tmp_path: Path, command: str, status: int) -> None:
    done = ended(command, ["import torch", "x = 1\nx = = 2"], tmp_path)
    assert done.returncode == status and "cell 2" in done.stderr and "line 2" in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""
