"""What runs before torch is there counts as if it had run afterwards, and is not run again."""

import dataclasses
import json

import pytest
from submissions import exercise, mul, only, solution

from minigrad_course.grading.grade import Alone, judge_all
from minigrad_course.grading.judge.nbval import Session
from minigrad_course.grading.records.record import Limits, Settings, Task
from minigrad_course.grading.workers import pool

pytestmark = pytest.mark.usefixtures("one_sandbox")
SETTINGS = Settings(5)
ENDLESS = solution(mul=mul("while True:\n        pass"))
TASKS = [
    Task(f"{name}.ipynb", name, "", json.dumps(notebook).encode())
    for name, notebook in {
        "right": solution(),
        "wrong": solution(mul=mul("return b, a")),
        "open": exercise(),
        "missing": only(solution(), "mul"),
        "none": [],
    }.items()
]


def timeless(record):
    parts = tuple(dataclasses.replace(part, seconds=0.0) for part in record.parts)
    return dataclasses.replace(record, seconds=0.0, parts=parts)


@pytest.fixture(scope="module")
def records(one_sandbox):
    found = []
    judge_all(TASKS, lambda: Alone(SETTINGS), found.append)
    return {record.place: timeless(record) for record in found}


def test_alone_it_comes_to_the_same_and_nothing_that_passes_runs_twice(records, monkeypatch):
    monkeypatch.setattr("minigrad_course.grading.grade.is_torch_here", lambda: False)
    crew = Alone(SETTINGS)
    crew.begin(TASKS)
    assert {place: len(early) for place, early in crew.early.items()} == {
        **dict.fromkeys(("right.ipynb", "wrong.ipynb", "open.ipynb"), len(records["right.ipynb"].parts)),
        "missing.ipynb": 1,
        "none.ipynb": 0,
    }
    with monkeypatch.context() as patch:
        patch.setattr(crew.session.judge.sandbox, "run", None)
        assert timeless(crew.submit(TASKS[0]).result()) == records["right.ipynb"]
    assert {task.place: timeless(crew.submit(task).result()) for task in TASKS} == records


def test_workers_hand_on_what_they_have_begun(records, monkeypatch):
    monkeypatch.setattr(pool, "is_torch_here", lambda: False)
    crew = pool.Local(SETTINGS, 1)
    try:
        crew.begin(TASKS)
        done = [len(crew.early[task.place].result()) for task in TASKS]
        results = {task.place: timeless(crew.submit(task).result()) for task in TASKS}
    finally:
        crew.close()
    assert (done[0], results, crew.early) == (len(records["right.ipynb"].parts), records, {})


def test_one_that_does_not_end_is_the_last_and_its_time_counts():
    settings = dataclasses.replace(SETTINGS, limits=Limits(seconds=0.5, cpu_seconds=0.5))
    task = Task("endless.ipynb", "endless", "", json.dumps(ENDLESS).encode())
    with Session(settings) as session:
        early = session.early(task)
        record = session.record(task, early=early)
    (part,) = [part for part in record.parts if part.part == "mul"]
    assert list(early)[-1] == "mul" and early["mul"].run.problem.kind == "time"
    assert part.seconds >= early["mul"].seconds > 0.4 and record.seconds > part.seconds
    assert [each.part for each in record.parts if each.error] == ["mul", record.parts[-1].part]


def test_what_goes_wrong_early_goes_wrong_once_more_and_is_told_in_the_record(monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("no process can be started")

    with Session(SETTINGS) as session:
        monkeypatch.setattr(session.judge.sandbox, "run", fails)
        assert session.early(TASKS[0]) == {}
        assert "no process can be started" in session.record(TASKS[0]).fault
