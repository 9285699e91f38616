"""The store: whole submissions or nothing, whenever the process ends; and what makes a rerun judge again."""

import dataclasses
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad
from minigrad_course.grading.book import store as stores
from minigrad_course.grading.book.store import BadStore, Store
from minigrad_course.grading.records.record import HandedIn, Intake, Limits, Named, PartRecord, Record, Settings, Task

ROOT = Path(minigrad.__file__).parent.parent
WRITER = """
import os, random, signal, sys, time
from pathlib import Path
from minigrad_course.grading.records.record import PartRecord, Record
from minigrad_course.grading.book.store import Store

def write(path, first, end=100_000):
    with Store(path) as store:
        for count in range(first, end):
            parts = tuple(PartRecord(f"p{n}", "passed", 1, 1, reference=f"{count % 7}" * 500) for n in range(9))
            record = Record(f"s{count % 50}", "ada", "e", parts=parts, answers={"p1": "x" * 5000})
            store.keep(record, f"k{count}", "c")

started = time.monotonic()
write(Path(sys.argv[1] + "-tried"), 0, 5)
taken = time.monotonic() - started  # on this machine, as busy as it is
draw = random.Random(0)
for kills in range(30):
    pid = os.fork()
    if pid == 0:
        write(Path(sys.argv[1]), 7 * kills)
        os._exit(0)
    time.sleep(draw.uniform(0.1, 3.0) * taken)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
"""


def record(place="a/b.ipynb", student="ada", **fields):
    parts = (
        PartRecord("mul", "passed", 1, 1, text="1.\n", reference="1.\n", seconds=0.25),
        PartRecord("div", "wrong", 0, 2, "It differs.", "cut", "It stopped.", "2.", "3.", 0.5),
    )
    return Record(place, student, "01", parts=parts, answers={"mul": "x = '\u2713'"}, seconds=1.5, **fields)


def test_a_record_comes_back_as_it_was(tmp_path):
    mine = record(notices=("one",), unconfined=("two",))
    unread = Record("c.ipynb", "bob", error="no file")
    with Store(tmp_path / "s") as store:
        store.keep(mine, "key", "content")
        store.keep(unread, "key", "content")
    with Store(tmp_path / "s") as store:
        assert store.record("a/b.ipynb") == mine and store.record("c.ipynb") == unread
        assert store.record("nobody") is None
        light = store.record("a/b.ipynb", texts=False)
        assert light.points == 1 and light.answers == {} and {part.text for part in light.parts} == {""}


def test_a_new_record_takes_the_place_of_the_old_one(tmp_path):
    with Store(tmp_path / "s") as store:
        store.keep(record(), "one", "c")
        newer = dataclasses.replace(record(), parts=record().parts[:1], answers={})
        store.keep(newer, "two", "c")
        assert store.record("a/b.ipynb") == newer
        assert store.has("a/b.ipynb", "two") and not store.has("a/b.ipynb", "one")
        assert store.database.execute("SELECT count(*) FROM parts").fetchone() == (1,)
        assert store.database.execute("SELECT count(*) FROM answers").fetchone() == (0,)


def test_a_spent_seed_stays_spent(tmp_path):
    with Store(tmp_path / "s") as store:
        store.spend([11, 13])
        store.spend([11])
    with Store(tmp_path / "s") as store:
        assert store.is_spent(11) and store.is_spent(13) and not store.is_spent(12)


def test_ids_are_known_as_long_as_something_of_the_student_counts(tmp_path):
    ada = HandedIn("week1/ada.ipynb", "ada", "", bytes, "week1")
    root = Named(tmp_path / "week1", "week1", {"week1"})
    with Store(tmp_path / "s") as store:
        store.take_in(Intake([ada], True, [], {"week1": root}, {"Canvas 5": "ada"}))
        assert store.ids() == {"Canvas 5": "ada"}
        store.take_in(Intake([], True, [], {"week1": root}, {}))
        assert store.ids() == {}


def test_a_record_holds_for_the_seed_that_is_asked_for(tmp_path):
    with Store(tmp_path / "s") as store:
        store.keep(record(seed=5), "one", "c")
        store.keep(Record("c.ipynb", "bob", error="no file"), "one", "c")  # no numbers in it
        assert store.has("a/b.ipynb", "one") and store.has("a/b.ipynb", "one", 5)
        assert not store.has("a/b.ipynb", "one", 6) and store.has("c.ipynb", "one", 6)


def test_a_failure_in_the_middle_keeps_what_was_there(tmp_path):
    with Store(tmp_path / "s") as store:
        store.keep(record(), "one", "c")
        broken = dataclasses.replace(record(), answers={"mul": object()})
        with pytest.raises(sqlite3.Error):
            store.keep(broken, "two", "c")
        assert store.record("a/b.ipynb") == record() and store.has("a/b.ipynb", "one")


@pytest.mark.parametrize("content", [b"not a database, and long enough to be looked at" * 30, None])
def test_what_is_no_store_of_ours_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "s"
    if content is None:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE mine (x)")
        other.close()
    else:
        path.write_bytes(content)
    with pytest.raises(BadStore):
        Store(path)
    if content:
        assert path.read_bytes() == content


@pytest.mark.parametrize("version", [stores.SCHEMA - 1, stores.SCHEMA + 1])
def test_a_store_of_another_version_is_refused(version, tmp_path):
    with Store(tmp_path / "s") as store:
        store.database.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(BadStore, match=f"its schema is {version}"):
        Store(tmp_path / "s")


CHANGES = {
    "limits": Settings(1, Limits(seconds=5)),
    "time of a submission": Settings(1, submission_seconds=5),
}


@pytest.mark.parametrize("settings", CHANGES.values(), ids=CHANGES)
def test_other_rules_make_another_key(settings):
    task = Task("p", "ada", "", b"x")
    assert stores.key(task, stores.rules(settings)) != stores.key(task, stores.rules(Settings(1)))
    assert stores.rules(Settings(1)) == stores.rules(Settings(1, require_sandbox=True)) == stores.rules(Settings(2))


def test_another_content_or_assignment_makes_another_key_and_another_owner_does_not():
    tasks = [Task("p", "ada", "", b"x"), Task("p", "ada", "", b"y"), Task("p", "ada", "e", b"x")]
    assert len({stores.key(task, "rules") for task in tasks}) == len(tasks)
    assert stores.key(Task("p", "bob", "", b"x"), "rules") == stores.key(tasks[0], "rules")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_killed_at_any_instant_it_holds_whole_submissions(tmp_path):
    """Thirty kills while records are written and replaced."""
    path = tmp_path / "s"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", WRITER, str(path)], env=environment, cwd=tmp_path, check=True, timeout=100)
    with Store(path) as store:
        assert store.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        places = [place for (place,) in store.database.execute("SELECT place FROM submissions")]
        assert places
        for place in places:
            found = store.record(place)
            assert len(found.parts) == 9 and found.points == 9 and len(found.answers) == 1
        assert store.database.execute("SELECT count(*) FROM parts").fetchone() == (9 * len(places),)
