"""A sandbox that the gradings of a module share, and gradings without worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from minigrad_course.grading.judge.sandbox import Sandbox
from minigrad_course.grading.records.record import Limits


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
