"""A sandbox that the gradings of a module share, gradings without worker processes, and a folder of grades."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from submissions import graded_record

from minigrad_course.grading.book.store import Store
from minigrad_course.grading.judge.sandbox import Sandbox
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.records.record import Course, HandedIn, Intake, Limits, Named
from minigrad_course.grading.report import pages


@pytest.fixture(scope="module")
def one_sandbox() -> Iterator[None]:
    """Gradings of this process share a sandbox: its start and the engines of a chapter cost more than judging."""
    made: dict[Limits, Sandbox] = {}

    def one(sources: Any, job: str, limits: Limits, **more: Any) -> Sandbox:
        if limits not in made:
            made[limits] = Sandbox(sources, job, limits, **more)
            made[limits].close = lambda: None  # type: ignore[method-assign]
        return made[limits]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minigrad_course.grading.judge.judge.Sandbox", one)
        patch.setattr("minigrad_course.grading.judge.judge.MOST_TEMPLATES", 128)
        yield
    for each in made.values():
        Sandbox.close(each)


@pytest.fixture(scope="module")
def in_this_process(one_sandbox: None) -> Iterator[None]:
    """Any number of submissions is judged here, as few are: that workers judge alike, `test_pool` shows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minigrad_course.grading.grade.FEW", 1000)
        yield


@pytest.fixture
def grades(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A folder with graded work from a system; call it with the places by student, all in one root."""
    monkeypatch.chdir(tmp_path)

    def make(places: Any, roster: Any = (), course: Any = None, passed: int = 99, known: Any = ()) -> Path:
        folder = tmp_path / "grades"
        (folder / "students").mkdir(parents=True)
        with Store(folder / "grades.sqlite") as store:
            found = [HandedIn(place, student, "", bytes, "in") for student, place in places.items()]
            store.take_in(Intake(found, True, [], {"in": Named(tmp_path / "in", "in", {"in"})}, dict(known)))
            for each in found:
                store.keep(graded_record(each.place, each.student, passed, seed=5), "key", "content")
            if roster:
                store.roster = Roster(tuple(roster))
            store.course = course or Course()
        for student in {*places, *(each.student for each in roster)}:
            (folder / "students" / pages.file_name(student)).write_text(f"the page of {student}", encoding="utf-8")
        return folder

    return make
