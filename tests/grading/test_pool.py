"""The workers: the same judgement wherever it is done, and nothing lost when one of them is."""

import copy
import dataclasses
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from submissions import CHAPTER, SOLUTION, exercise, mul, only, ours, solution

from minigrad_course.grading.grade import Alone, judge_all
from minigrad_course.grading.judge.nbval import Session
from minigrad_course.grading.records.record import Record, Settings, Task
from minigrad_course.grading.workers.pool import AHEAD, Local

pytestmark = pytest.mark.usefixtures("one_sandbox")
SEED = 5


def task(student, notebook, assignment=""):
    return Task(f"in/{student}.ipynb", student, assignment, json.dumps(notebook).encode())


def by_nbgrader(notebook):
    """With what `nbgrader generate_assignment` adds to the cells that it knows."""
    made = copy.deepcopy(notebook)
    for cell in made["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["checksum"] = "0123456789abcdef"
    return made


WRONG = solution(mul=mul("return b, a"))
TASKS = [
    task("ada", solution()),
    task("bob", WRONG),
    task("eve", exercise()),
    Task("in/bad.ipynb", "bad", "", b"\x89PNG"),
    task("wrong", only(solution(), "mul"), "week 1"),
    task("ours", only(SOLUTION, "mul")),
    task("released", only(by_nbgrader(SOLUTION), "mul")),
    task("lesson", only(solution(), "mul") | {"metadata": {"minigrad": {"kind": "lessons", "name": CHAPTER.name}}}),
]


LITTLE = [task(f"little{count}", only(each, "mul")) for count, each in enumerate((solution(), WRONG, exercise()))]


def timeless(record):
    return dataclasses.replace(record, seconds=0.0, parts=tuple(map(without_time, record.parts)))


def without_time(part):
    return dataclasses.replace(part, seconds=0.0)


@pytest.fixture(scope="module")
def settings():
    return Settings(SEED)


@pytest.fixture(scope="module")
def alone():
    found = []
    judge_all([*TASKS, *LITTLE], lambda: Alone(Settings(SEED)), found.append)
    return {each.place: timeless(each) for each in found}


def test_what_each_submission_comes_to(alone):
    ada, bob, eve, bad, wrong, ours, released, theirs = (alone[each.place] for each in TASKS)
    assert ada.passed and (ada.points, ada.exercise) == (22, CHAPTER.name)
    assert bob.points == 18 and [part.part for part in bob.parts if not part.passed] == ["mul", CHAPTER.together]
    assert bob.parts[1].mistake and bob.parts[1].text != bob.parts[1].reference
    assert eve.points == 0 and eve.parts[0].word == "open"
    assert (
        bad.error
        == "this is not a notebook that can be opened. It was probably cut off on its way, or saved in another format."
        and not bad.parts
    )
    assert wrong.points == 1  # an assignment that no exercise of ours is called by says nothing
    assert ours.points == 1
    assert released.points == 1  # made from the solution, so it still says that it is one
    assert theirs.points == 1 and "as some programs remove that" in theirs.notices[0]  # the answers are what counts
    assert not any(each.fault for each in alone.values())


def test_what_was_handed_in_for_another_exercise_earns_nothing(monkeypatch):
    other = dataclasses.replace(CHAPTER, name="02_other")
    monkeypatch.setattr("minigrad_course.grading.judge.nbval.chapter_named", lambda name: other)
    with Session(Settings(SEED)) as session:
        record = session.record(task("ada", solution(), "02_other"))
    assert record.error == f"this is {CHAPTER.name}, but it was handed in as 02_other." and record.points == 0


def test_a_session_leaves_the_import_system_to_the_thread_that_imports_torch():
    before = list(sys.meta_path)
    with Session(Settings(SEED)):
        assert sys.meta_path == before


def test_worker_processes_judge_alike_and_a_lost_one_costs_no_result(settings, alone):
    many = [dataclasses.replace(each, place=f"{each.place}/{count}") for count in range(3) for each in LITTLE]
    hired, killed = [], []
    assert len(many) > 2 * AHEAD

    def hire():
        hired.append(Local(settings, 1 if hired else 2))
        return hired[-1]

    found = []

    def done(record):
        found.append(record)
        if not killed:
            workers = [each for each in multiprocessing.active_children() if each.pid]
            killed.append(workers[0].pid)
            os.kill(workers[0].pid, signal.SIGKILL)

    judge_all(many, hire, done)
    assert sorted(each.place for each in found) == sorted(each.place for each in many)
    for each in map(timeless, found):
        place = each.place.partition(".ipynb")[0] + ".ipynb"
        assert dataclasses.replace(each, place=place) == alone[place]
    assert len(hired) == 2


class Fragile:
    """Real worker processes that end when they are given a certain task."""

    width = 4

    def __init__(self):
        self.executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))

    def submit(self, task):
        return self.executor.submit(poisoned, task)

    def close(self):
        self.executor.shutdown(wait=True, cancel_futures=True)


def poisoned(task):
    if task.student == "poison":
        os._exit(1)
    if task.student == "error":
        raise ValueError("no")
    return Record(task.place, task.student)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_what_breaks_its_worker_again_and_again_is_found_out_and_the_others_are_judged():
    students = ["a", "b", "poison", "c", "error", "d", "e"]
    found = []
    judge_all([Task(each, each, "", b"") for each in students], Fragile, found.append)
    assert sorted(each.place for each in found) == sorted(students)
    faults = {each.place: each.fault for each in found if each.fault}
    assert faults == {"poison": "the process that judged it was lost 3 times.", "error": "ValueError: no"}


class Pressed:
    """Ctrl-C arrives while the second task is handed out, and the first is finished."""

    width = 2
    closed = False

    def submit(self, task):
        if task.student == "second":
            raise KeyboardInterrupt
        future = Future()
        future.set_result(Record(task.place, task.student))
        return future

    def close(self):
        self.closed = True


def test_ctrl_c_hands_over_what_is_finished_and_ends_the_workers():
    crew, found = Pressed(), []
    with pytest.raises(KeyboardInterrupt):
        judge_all([Task(each, each, "", b"") for each in ("first", "second")], lambda: crew, found.append)
    assert [each.place for each in found] == ["first"] and crew.closed


def test_without_work_nobody_is_hired():
    judge_all([], pytest.fail, pytest.fail)


def test_the_checks_of_a_submission_share_its_time():
    slow = "import time\ntime.sleep(0.05)\n" + ours("record")
    with Session(Settings(SEED, submission_seconds=0.05)) as session:
        record = session.record(task("slow", solution(record=slow)))
        after = session.record(task("ada", solution()))
    first, *others = record.parts
    assert first.passed and not any(part.passed for part in others)
    assert all("took more than 0.05 seconds in total" in part.what for part in others)
    assert after.parts[0].passed  # the next submission has its own time


def test_where_something_is_not_confined_nothing_is_judged_if_that_is_required(monkeypatch):
    monkeypatch.setattr("minigrad_course.grading.judge.sandbox.Sandbox.unconfined", ["Files can be read."])
    with Session(Settings(SEED, require_sandbox=True)) as session:
        record = session.record(TASKS[0])
    assert (
        record.fault == "the machine that would judge it does not confine everything: Files can be read."
        and not record.parts
    )


def test_all_that_one_student_hands_in_shares_the_time_of_one():
    tasks = [Task(f"ada/{count}", "ada", "", b"") for count in range(6)]
    given = {}

    class Hung(Alone):
        def __init__(self):
            pass

        def submit(self, task):
            given[task.place] = task.seconds
            future = Future()
            future.set_result(Record(task.place, task.student, seconds=min(task.seconds, 120.0)))
            return future

        def close(self):
            pass

    judge_all([*tasks, Task("bob/0", "bob", "", b"")], Hung, lambda record: None, 120.0)
    assert given == {"ada/0": 120.0, **{f"ada/{count}": 15.0 for count in range(1, 6)}, "bob/0": 120.0}


def test_one_student_never_keeps_two_workers_busy_and_the_others_need_not_wait():
    tasks = [Task(f"{name}/{count}", name, "", b"") for name in ("ada", "bob", "eve") for count in range(4)]
    threads, running, most, seen = ThreadPoolExecutor(3), [], [], []

    def work(task):
        assert task.student not in running
        running.append(task.student)
        most.append(len(running))
        time.sleep(0.05)
        running.remove(task.student)
        return Record(task.place, task.student, seconds=1.0)

    class Threads:
        width = 3

        def submit(self, task):
            return threads.submit(work, task)

        def close(self):
            threads.shutdown()

    judge_all(tasks, Threads, seen.append, 120.0)
    assert sorted(each.place for each in seen) == sorted(each.place for each in tasks)
    assert not any(each.fault for each in seen) and max(most) == 3


WITHOUT = """
import sys
from minigrad_course.programs import process
if sys.argv[1] == "own":
    process.claim()
from minigrad_course.grading.judge import nbval
print(*[name for name in ("jsonschema", "jupyter_client", "coverage", "nbval.kernel") if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("whose", "there"), [("own", ""), ("a caller's", "jsonschema jupyter_client coverage nbval.kernel")]
)
def test_what_judging_does_not_use_is_imported_for_a_caller_alone(whose, there):
    """To whom nbval and nbformat have to be whole afterwards."""
    done = subprocess.run([sys.executable, "-c", WITHOUT, whose], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == there
