"""`minigrad explain`: a thin command over minigrad_course.explain, whose own tests are in tests/explain."""

from __future__ import annotations

import subprocess
from pathlib import Path

import preloaded
from typer.testing import CliRunner

from minigrad_course.cli import app

PROGRAM = "import torch, sys\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nprint(sys.argv[1:])\ny.backward()\n"


def explain(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`minigrad explain …` in a folder."""
    command = [preloaded.python(), "-m", "minigrad_course", "explain", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)


def test_a_file_and_a_text_have_their_own_options_and_what_there_is_not_is_a_sentence(tmp_path: Path) -> None:
    """What is tried, test_notebooks shows."""
    (tmp_path / "program.py").write_text(PROGRAM)
    done = explain(tmp_path, "--no-try", "program.py", "--lr", "3")
    assert done.stdout.startswith("['--lr', '3']\n\nLine 5 starts a pass from `y`, which line 3 makes"), done
    assert done.returncode == 1 and "tried" not in done.stdout
    assert done.stderr.endswith("RuntimeError: grad can be implicitly created only for scalar outputs\n")
    story = explain(tmp_path, "--story", "-c", PROGRAM.replace("y.b", "y.sum().b"), "-x")
    assert (story.returncode, story.stdout.splitlines()[:3]) == (
        0,
        ["['-x']", "", "It ran to its end: 1 backward pass, 0 steps of optimizers."],
    )
    missing = CliRunner().invoke(app, ["explain", "missing.py"])
    assert (missing.exit_code, missing.stdout, missing.stderr) == (2, "", "There is no file missing.py.\n")
