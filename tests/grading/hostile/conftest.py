"""One judge and one room for all hostile submissions of a test session."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for `submissions`, which the tests above share
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "course"))  # for what its tests know of decisions

import pytest
from judges import Judges
from room import Room

from minigrad_course.grading.judge.judge import Judge
from minigrad_course.grading.records.record import Limits


@pytest.fixture(scope="session")
def judge():
    """A judge that loses patience soon, so that what never ends costs little."""
    with Judge(seed=4711, limits=Limits(seconds=1.5, cpu_seconds=2.0, memory_mb=128.0)) as judge:
        yield judge


@pytest.fixture(scope="session")
def patient():
    """A judge with the limits of a real grading."""
    with Judge(seed=4712) as judge:
        yield judge


@pytest.fixture(scope="session")
def judges():
    """A judge with the limits of a real grading for every seed."""
    judges = Judges()
    yield judges
    judges.close()


@pytest.fixture(scope="session")
def room(tmp_path_factory):
    with Room(tmp_path_factory.mktemp("room")) as room:
        yield room
