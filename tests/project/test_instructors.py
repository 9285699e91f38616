"""Every command of INSTRUCTORS.md and docs/platforms.md is run by a test, or it is known why not."""

from __future__ import annotations

import re
from pathlib import Path

from test_readme import FENCE

ROOT = Path(__file__).parents[2]
PROGRAM = re.compile(r"(?:minigrad|pytest|nbgrader|python|pip|mkdir|cp|rm|gh|while|dask|course-env/\S+|%pip)\s")
# The file with the test that takes a command from the text or runs the same; where none can, what it needs.
RUN = {
    "python -m build": "tests/project/test_wheel.py",
    "course-env/bin/": "tests/project/test_wheel.py",
    "python -m venv": "tests/project/test_readme.py",
    "minigrad start template": "tests/project/test_github.py",
    "rm -r template/solutions": "tests/project/test_github.py",
    "mkdir -p template": "tests/project/test_github.py",
    "cp classroom/grade.yml": "tests/project/test_github.py",
    "pytest --nbval exercises/ --junitxml": "tests/grading/test_plugin.py",
    "pytest --nbval submitted/ -n 2 --junitxml": "tests/grading/test_plugin.py",
    "pytest --nbval submitted/": "tests/project/test_readme.py",
    "minigrad grade submitted/ --dask": "tests/grading/test_cluster.py",
    "minigrad grade submitted/ada --seed": "tests/grading/test_class.py",
    "minigrad grade moodle-week1.zip": "tests/grading/test_class.py",
    "minigrad grade submitted/": "tests/grading/test_course.py",
    "minigrad marks": "tests/grading/test_course.py",
    "mkdir -p course": "tests/project/test_nbgrader.py",
    "cp ": "tests/project/test_nbgrader.py",
    "nbgrader ": "tests/project/test_nbgrader.py",
    "dask ": "tests/grading/test_cluster.py",
}
NEEDS = {
    "python -m pip install build": "an index",
    "pip install": "an index",
    "%pip install": "Colab",
    "gh ": "an account on GitHub",
    "while read": "an account on GitHub",
}


def commands() -> list[str]:
    """The commands in the blocks of both texts; lines of another kind, such as addresses, are none."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("INSTRUCTORS.md", "docs/platforms.md")]
    text = "\n".join(texts)
    blocks = [block for kind, block in FENCE.findall(text) if not kind]
    return [line for block in blocks for line in block.splitlines() if PROGRAM.match(line)]


def test_every_command_is_run_somewhere_or_needs_what_no_test_has() -> None:
    known = [*RUN, *NEEDS]
    assert [line for line in commands() if not line.startswith(tuple(known))] == []
    assert all((ROOT / file).is_file() for file in RUN.values())
    unused = [start for start in known if not any(line.startswith(start) for line in commands())]
    assert unused == []
