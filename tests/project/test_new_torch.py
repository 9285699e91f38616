"""The walk of docs/maintaining/engine.md, "Following a new torch", for one that is made up, in a copy of the engine.

It is the torch that is here, with another version and one change: the gradient of `abs` at 0 is 1.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import compiled

from minigrad.compat.versions import CHANGES, KNOWN, known

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "maintaining" / "engine.md").read_text(encoding="utf-8")
WALK = PAGE.split("## Following a new torch\n")[1]
(NEW,) = re.findall(r"When torch ([\d.]+) comes:", WALK)
(INSTALL, ADD, RECORD) = [line.strip() for line in WALK.split("written down:\n")[1].splitlines()[1:4]]

TORCH = """\
import pathlib, sys
sys.path.remove(str(pathlib.Path(__file__).parents[1]))
del sys.modules["torch"]
import torch
torch.Tensor.abs = lambda x: torch.where(x >= 0, x, -x)
"""
PROGRAM = """\
import torch

x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
x.abs().sum().backward()
print(x.grad)
"""
# A row like those of the table; all others end with it, as what is made up has none of them.
ROW = f"""\
    "abs_at_zero": Change(
        "gradients",
        "{NEW}",
        "`abs` at 0",
        "The gradient is 0.",
        "The gradient is 1.",
        "abs AbsBackward0",
    ),
}}
for _change in CHANGES.values():
    _change.until = _change.until or ("{NEW}" if _change.since != "{NEW}" else None)
for _name"""


def replaced(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, after), encoding="utf-8")


def made_up(folder: Path) -> Path:
    """What the first command of the walk installs: the path of its Python."""
    python, packages = folder / "bin" / "python", folder / "packages"
    for name in ("bin", "packages/torch", f"packages/torch-{NEW}.0.dist-info"):
        (folder / name).mkdir(parents=True)
    (packages / "torch" / "__init__.py").write_text(TORCH)
    (packages / "torch" / "version.py").write_text(f"__version__ = '{NEW}.0'\n")
    (packages / f"torch-{NEW}.0.dist-info" / "METADATA").write_text(f"Name: torch\nVersion: {NEW}.0\n")
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return python


def run(copy: Path, *command: str, status: int = 0) -> str:
    """What a command says that runs in the copy of the engine."""
    ours = {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        command, cwd=copy, env=os.environ | ours, capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def recorded(copy: Path, *pythons: str, status: int = 0) -> str:
    """The walk's `make torches PYTHONS=…`: the commands that make would call, called where .venv is this Python."""
    typed = RECORD.partition("PYTHONS=")[0].split()
    planned = run(copy, *typed, f"PYTHONS={' '.join(pythons)}", "--dry-run", "--old-file", ".venv/.installed-test")
    commands = [line.split() for line in planned.splitlines() if line.startswith(".venv/bin/python ")]
    assert [command[1] for command in commands] == ["tests/conformance/texts.py", "docs/changes.py"]
    return "".join(run(copy, sys.executable, *arguments, status=status) for _, *arguments in commands[: 2 - status])


def text_of(program: Path, version: str) -> str:
    """What was written down of a version: the newest text that is not of a later one."""
    versions = [*KNOWN, NEW]
    newest = reversed(versions[1 : versions.index(version) + 1])
    paths = [*(program.with_suffix(f".{each}.out") for each in newest), program.with_suffix(".out")]
    return next(path for path in paths if path.exists()).read_text(encoding="utf-8")


def test_a_new_torch_is_followed_as_the_page_says(tmp_path: Path) -> None:
    assert known(f"{NEW}.0") is None, f"torch {NEW} is known: let the page be about the next one"
    assert f'"torch>={KNOWN[0]},<{NEW}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")  # step 4 raises it
    assert f"torch=={NEW}.0" in INSTALL and RECORD.endswith(INSTALL.split()[3] + "/bin/python")
    copy, python = tmp_path / "copy", str(made_up(tmp_path / "new"))
    compiled.copy(copy)
    docs = ("docs/changes.py", "docs/changes.md", "docs/written.py")
    for name in ("Makefile", "pyproject.toml", *docs, "tests/conformance/texts.py"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    for name in ("changes", "programs/leaf"):
        shutil.copytree(ROOT / "tests/conformance" / name, copy / "tests/conformance" / name)
    table, changes = copy / "minigrad/compat/versions.py", copy / "tests/conformance/changes"
    version = (python, "-c", "import minigrad; print(minigrad.__version__)")
    assert f"minigrad does not know torch {NEW}.0: it speaks {KNOWN[-1]}, so a few" in run(copy, *version)
    assert f"has torch {NEW}.0: versions.py knows {', '.join(KNOWN)}" in recorded(copy, python, status=1)

    # 1. Its texts are written down, and what is no longer as before is said.
    (quoted,) = re.findall(r'^# add ("[\d.]+") to KNOWN in minigrad/compat/versions\.py, then$', ADD)
    replaced(table, f'"{KNOWN[-1]}")  # oldest first', f'"{KNOWN[-1]}", {quoted})  # oldest first')
    said = recorded(copy, python)
    assert f"changes/linspace_of_float16.py, torch {NEW}\n" in said and "wrote: docs/changes.md" in said
    assert run(copy, *version) == f"{NEW}.0+minigrad\n"

    # 2. A row, a program and the switch in the operation; then the texts of all Pythons again.
    (changes / "abs_at_zero.py").write_text(PROGRAM)
    replaced(table, "}\nfor _name", ROW)
    operation = copy / "minigrad/ops/elementary.py"
    switch = 'lambda g, a: g * (np.where(a >= 0, 1, -1) if changed("abs_at_zero") else sign(a))'
    replaced(
        operation, '|a|: d/da is the sign of a, 0 at 0."""\n\n    value', '|a|: d/da is the sign of a."""\n\n    value'
    )
    replaced(operation, "lambda g, a: g * sign(a)", switch)
    replaced(operation, "import numpy as np\n", "import numpy as np\n\nfrom minigrad.compat.versions import changed\n")
    recorded(copy, python, sys.executable)
    texts = {path.name: path.read_text() for path in changes.glob("abs_at_zero*.out")}
    assert texts == {
        "abs_at_zero.out": "tensor([-1.,  0.,  1.])\n",
        f"abs_at_zero.{NEW}.out": "tensor([-1.,  1.,  1.])\n",
    }
    page = (copy / "docs/changes.md").read_text(encoding="utf-8")
    assert (
        "(abs-at-zero)=" in page
        and f"torch {', '.join(KNOWN[:-1])} and {KNOWN[-1]}:\n\n```text\n{texts['abs_at_zero.out']}" in page
    )
    assert "docs/changes.md is up to date." in run(copy, sys.executable, "docs/changes.py", "--check")

    # 3. minigrad prints what each of them prints.
    spoken = (KNOWN[0], KNOWN[-1], NEW)
    every = run(copy, sys.executable, "tests/conformance/texts.py", "minigrad", ",".join(spoken), "changes", "programs")
    printed = json.loads(every.splitlines()[0])  # warnings come after it
    lacking = {f"changes/{name}.py" for name, row in CHANGES.items() if not row.here}
    unlike = {
        (version, name): (text, kept)
        for version in spoken
        for name, text in printed[version].items()
        if name not in lacking and text != (kept := text_of(copy / "tests/conformance" / name, version))
    }
    assert unlike == {}
