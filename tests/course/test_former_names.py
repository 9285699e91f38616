"""What learners imported before the course was a package of its own works, with a line that says what to write."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import minigrad
from minigrad import scalar
from minigrad.course import environment, explorers, parts, pictures, predictions
from minigrad.course.attempt import attempt
from minigrad.course.explorers import leaves, walk
from minigrad.course.pictures import graph, leaf_table
from minigrad.course.program import replaced
from minigrad.course.progress_bar import progress_bar
from minigrad.course.train_spirals import Network, spirals
from minigrad.runtime import hooks, record
import minigrad.course.calls, minigrad.course.shapes, minigrad.course.torches

x = minigrad.tensor(2.0, requires_grad=True)
with replaced(scalar, "topological_order", lambda root: []):
    (x * 3).backward()
print(x.grad)
(x * 3).backward()
print(x.grad, record.__name__, hooks.__name__, graph.__module__)
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "minigrad.course")
print(shell.find_line_magic("hint") is not None)
"""


def test_every_name_that_notebooks_used_is_there_and_says_its_new_one_once() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    first, second, extension = done.stdout.splitlines()
    assert (first, extension) == ("None", "True")
    assert second == "tensor(3.) minigrad.recording.record minigrad.graph.hooks minigrad_course.pictures.graphs"
    said = done.stderr.splitlines()
    assert all(line.endswith(" now: please write that.") for line in said)
    assert "minigrad.course.pictures is minigrad_course.pictures now: please write that." in said
    assert "minigrad.runtime.record is minigrad.recording.record now: please write that." in said
    assert (
        'minigrad.course.program.replaced is minigrad.parts.replace("scalar.topological_order", …) now' in done.stderr
    )
    assert len(said) == len(set(said))
