"""What is said of each program is what was recorded and read: no sentence is false, and correct programs get none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from explain.gate import PROGRAMS, recorded, said

from minigrad_course.explain.trials.pool import Pool

FOLDERS = sorted(path.name for path in PROGRAMS.iterdir() if path.is_dir())
CASES = [path for folder in FOLDERS for path in sorted((PROGRAMS / folder).glob("*.py"))]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One process for all programs."""
    made = Pool()
    yield made
    made.close()


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_said_is_what_was_read(path: Path, pool: Pool) -> None:
    text, _ = said(path, pool)
    assert text == recorded(path)


def test_nothing_is_said_of_a_correct_program() -> None:
    correct = [path for path in CASES if path.parent.name == "correct"]
    assert len(correct) >= 20
    assert all(path.with_suffix(".txt").read_text() == "" for path in correct)
