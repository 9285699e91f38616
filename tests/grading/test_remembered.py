"""What the grader keeps of the engine's text for the next start: used if it fits, made anew if not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import compiled
import pytest

from minigrad_course.grading.judge import strip
from minigrad_course.texts import source

SCRIPT = """
from minigrad_course.parts import chapters
from minigrad_course.grading.judge import judge, strip
from minigrad_course.grading.judge.sandbox import _code

before = len(strip.kept_before())
sources, shared = strip.engine()
judge.Judge(0).sandbox.compile()
print(before, len(strip.made), len(shared), len(_code(sources["minigrad.scalar"], "x.py")), strip.kept_in())
strip.keep()
"""


Found = tuple[int, int, int, int, Path]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of engine and course, whose compiled files are its own; the tests share them."""
    folder = tmp_path_factory.mktemp("package")
    compiled.copy(folder, "__pycache__", "labextension")
    for kind in ("lessons", "exercises", "solutions"):  # as in a clone: the course looks for its texts beside itself
        (folder / kind).symlink_to(source.notebooks_folder() / kind)
    return folder


@pytest.fixture(scope="module")
def first(package: Path) -> Found:
    """What the first start found, and left."""
    return start(package)


def start(package: Path, *options: str) -> Found:
    """What a new process finds, makes, and gets; and where it leaves that."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *options, "-c", SCRIPT]
    done = subprocess.run(
        command, env=environment | {"PYTHONPATH": str(package)}, cwd=package, capture_output=True, text=True, check=True
    )
    *numbers, file = done.stdout.split()
    found, made, shared, code = map(int, numbers)
    return found, made, shared, code, Path(file)


def test_a_later_process_makes_nothing_and_gets_the_same(package: Path, first: Found) -> None:
    found, made, *results, file = first
    assert found == 0 and made > 100
    later, made_later, *same, _ = start(package)
    assert later >= 100 and made_later == 0 and same == results
    assert results[0] == len(strip.engine()[1])
    file.write_bytes(file.read_bytes()[:1000])
    assert start(package)[:2] == (0, made)


def test_another_engine_is_another_file_and_the_old_one_goes(package: Path, first: Found) -> None:
    before = first[-1]
    assert before.exists()
    scalar = package / "minigrad" / "scalar.py"
    scalar.write_text(scalar.read_text(encoding="utf-8") + "\n# longer\n", encoding="utf-8")
    found, *_, second = start(package)
    assert found == 0 and second != before and second.exists() and not before.exists()


def test_nothing_is_written_where_python_writes_nothing(package: Path, first: Found) -> None:
    for file in first[-1].parent.glob("engine.*"):
        file.unlink()
    assert not start(package, "-B")[-1].exists()
