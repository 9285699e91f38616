"""`minigrad grade` on a whole class, as an instructor runs it: kept, repeated, interrupted, killed.

Where it matters how a process ends there is one; the other gradings run here, where torch is imported already.
"""

import contextlib
import csv
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from submissions import CHAPTER, SOLUTION, cell, exercise, kept, mul, only, saved, solution
from typer.testing import CliRunner

import minigrad
from minigrad_course.cli import app
from minigrad_course.grading import grade as grade_module
from minigrad_course.grading.grade import FEW
from minigrad_course.grading.workers.start import start_importing

ROOT = Path(minigrad.__file__).parent.parent
NAME = CHAPTER.name
pytestmark = pytest.mark.usefixtures("in_this_process")
HERE = ("--workers", "1", "--seed", "5")
WORKERS = ("--workers", "2", "--seed", "5")
WORK, BLANK = only(solution(), "mul", "pow"), only(exercise(), "mul")  # worth two points, and none


def start(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "minigrad_course", "grade", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def grade(folder, *arguments, columns=120):
    """Run the command to its end in this process: exit status and text."""
    with contextlib.chdir(folder):
        result = CliRunner().invoke(app, ["grade", *map(str, arguments)], env={"COLUMNS": str(columns)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert "Traceback" not in result.output, result.output
    return result.exit_code, result.output


def marks(folder):
    """The grades as the CSV has them, without what differs from run to run."""
    with (folder / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def put(folder, student, notebook):
    (folder / student / NAME).mkdir(parents=True, exist_ok=True)
    return saved(notebook, folder / student / NAME / f"{NAME}.ipynb")


@pytest.fixture(scope="module", autouse=True)
def forked_from():
    """The process that workers are forked from: a command that had to start it would also end it."""
    start_importing()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a class, graded once without disturbance."""
    place = tmp_path_factory.mktemp("class")
    submitted = place / "submitted"
    put(submitted, "good", solution())
    put(submitted, "mistaken", only(solution(mul=mul("return b, a")), "mul", "pow"))
    put(submitted, "untouched", exercise())
    tampered = solution()
    cell(tampered, "check-mul")["source"] += "\nprint('x')"
    put(submitted, "tampered", only(tampered, "mul", "pow"))
    put(submitted, "unread", exercise()).write_bytes(b"PNG")
    put(submitted, "linked", exercise()).unlink()
    (submitted / "linked" / NAME / f"{NAME}.ipynb").symlink_to(submitted / "good" / NAME / f"{NAME}.ipynb")
    for kind, notebook in {"exercises": exercise(), "solutions": solution()}.items():
        (submitted / "cloned" / "backward" / kind).mkdir(parents=True)
        saved(notebook, submitted / "cloned" / "backward" / kind / f"{NAME}.ipynb")
    (submitted / "conftest.py").write_text("import os\nos._exit(0)\n")
    return place


@pytest.fixture(scope="module")
def undisturbed(place):
    status, text = grade(place, "submitted", *HERE)
    assert status == 1, text
    return place / "grades", text


def test_every_student_has_a_row_and_every_view_is_there(place, undisturbed):
    folder, text = undisturbed
    rows = {row["student"]: row for row in marks(folder)}
    assert {name: row["points"] for name, row in rows.items()} == {
        **{"good": "22", "mistaken": "1", "untouched": "0", "tampered": "2"},
        **{"unread": "0", "linked": "0", "cloned": "0"},
    }
    assert rows["linked"]["notes"].endswith("this is a link to another file; submit the file itself.")
    assert "not the one in the exercise" in rows["tampered"]["notes"] and rows["good"]["notes"] == ""
    folder_of_solutions = "submitted/cloned/backward/solutions"
    aside = f"{folder_of_solutions}: 1 notebook in it was not graded: solutions are not the student's own work."
    assert rows["cloned"]["notes"] == aside and f"{aside}\n" in text
    data = json.loads((folder / "grades.json").read_text(encoding="utf-8"))
    assert {each["seed"] for each in data["files"]} == {5, None} and len(data["files"]) == 9
    assert [each["file"] for each in data["files"] if not each["student"]] == ["submitted/conftest.py"]
    assert len(list((folder / "students").glob("*.html"))) == 7
    assert (folder / "class.html").stat().st_size and (folder / "junit.xml").stat().st_size
    assert "1 of 7 files passes." in text and "--seed 5 --to ANOTHER_FOLDER repeats this grading." in text
    assert not list(folder.rglob("*.part"))


def test_a_rerun_judges_what_has_changed(place, undisturbed, tmp_path, monkeypatch):
    shutil.copytree(place, tmp_path / "copy", symlinks=True)
    copy = tmp_path / "copy"
    put(copy / "submitted", "untouched", WORK)
    monkeypatch.setattr("minigrad_course.grading.grade.FEW", FEW)
    monkeypatch.setattr("minigrad_course.cli.instructor.grading.Local", pytest.fail)  # for one, no worker is started
    _, text = grade(copy, "submitted", "--write", "csv")
    assert "6 had not changed since they were judged" in text and "drawn with seed 5;" not in text
    rows = {row["student"]: row["points"] for row in marks(copy / "grades")}
    assert rows["untouched"] == "2" and rows["mistaken"] == "1"


# --- numbers that were shown ---------------------------------------------------------------------


def page(folder, student):
    """A student's page."""
    (found,) = (folder / "students").glob(f"{student}-*.html")
    return found.read_text(encoding="utf-8")


def references(folder):
    """What a student can copy from the own page: what torch printed, by check."""
    text = html.unescape(page(folder, "mallory"))
    found = re.findall(r"<summary>What (?:torch prints|is right)</summary><pre[^>]*>(.*?)</pre>", text, re.S)
    return dict(zip(CHAPTER.checks, found, strict=True))


def by_heart(folder):
    """A notebook that prints what the page of an earlier grading shows, and nothing else."""
    prints = """
import builtins, sys
lines = [{text!r}]
builtins.print = lambda *a, **k: sys.stdout.write(lines.pop() if lines else "")
"""
    shown = references(folder)
    return solution(
        **{
            part.name: cell(SOLUTION, part.name)["source"] + prints.format(text=shown[part.name])
            for part in CHAPTER.parts
        }
    )


def test_what_a_page_showed_is_worth_nothing_the_next_time(tmp_path):
    """Hand in blanks, copy the numbers from the page, print them: that was worth full marks once."""
    put(tmp_path / "submitted", "ada", WORK)
    put(tmp_path / "submitted", "mallory", exercise())
    grade(tmp_path, "submitted")
    before = references(tmp_path / "grades")
    seed = json.loads((tmp_path / "grades" / "grades.json").read_text(encoding="utf-8"))["files"][0]["seed"]
    put(tmp_path / "submitted", "mallory", by_heart(tmp_path / "grades"))
    _, text = grade(tmp_path, "submitted")
    assert {row["student"]: row["points"] for row in marks(tmp_path / "grades")} == {"ada": "2", "mallory": "0"}
    assert "1 had not changed" in text  # ada is not judged again for it
    after = references(tmp_path / "grades")
    assert all(before[check] != after[check] for check in CHAPTER.checks)
    # so the attack is real: on the numbers of that page it earns nearly every part
    grade(tmp_path, "submitted/mallory", "--seed", str(seed), "--to", "apart")
    assert [int(row["points"]) >= 13 for row in marks(tmp_path / "apart")] == [True]


def test_spent_numbers_are_refused_and_a_folder_of_its_own_repeats_them(tmp_path):
    put(tmp_path / "submitted", "ada", WORK)
    grade(tmp_path, "submitted", "--seed", "5")
    assert "1 had not changed" in grade(tmp_path, "submitted", "--seed", "5")[1]  # so nothing shows its numbers again
    put(tmp_path / "submitted", "bob", WORK)
    status, text = grade(tmp_path, "submitted", "--seed", "5")
    assert status == 2 and "already show the numbers of seed 5." in text
    assert grade(tmp_path, "submitted", "--seed", "5", "--again")[0] == 2
    assert grade(tmp_path, "submitted", "--seed", "5", "--to", "apart")[0] == 1
    assert grade(tmp_path, "submitted")[0] == 1 and len(marks(tmp_path / "grades")) == 2


# --- the class stays whole -----------------------------------------------------------------------


def test_grading_one_student_again_updates_the_class(place, undisturbed, tmp_path):
    shutil.copytree(place, tmp_path / "copy", symlinks=True)
    copy = tmp_path / "copy"
    put(copy / "submitted", "mistaken", WORK)
    _, text = grade(copy, "submitted/mistaken")
    assert "The grades also hold 6 students who were graded earlier." in text
    rows = {row["student"]: row["points"] for row in marks(copy / "grades")}
    before = {row["student"]: row["points"] for row in marks(undisturbed[0])}
    assert rows == before | {"mistaken": "2"}
    assert len(list((copy / "grades" / "students").iterdir())) == 7
    assert {each["student"] for each in json.loads((copy / "grades" / "grades.json").read_text())["files"]} >= set(
        before
    )
    grade(copy, str(copy / "submitted" / "untouched" / NAME / f"{NAME}.ipynb"), "--to", "grades")
    assert {row["student"]: row["points"] for row in marks(copy / "grades")} == rows


def test_the_next_week_adds_and_who_is_gone_goes(tmp_path):
    put(tmp_path / "week1", "ada", WORK)
    put(tmp_path / "week1", "bob", BLANK)
    grade(tmp_path, "week1", "week1", "--to", "grades")
    put(tmp_path / "week2", "ada", BLANK)
    grade(tmp_path, "week2", "--to", "grades")
    assert {row["student"]: row["points"] for row in marks(tmp_path / "grades")} == {"ada": "2", "bob": "0"}
    shutil.rmtree(tmp_path / "week1" / "bob")
    (tmp_path / "grades" / "students" / "mine.txt").write_text("a note of the instructor's")
    _, text = grade(tmp_path, "week1", "--to", "grades")
    assert "Graded earlier but no longer there, so no longer counted: week1/bob/" in text
    assert [row["student"] for row in marks(tmp_path / "grades")] == ["ada"]
    names = sorted(each.name.partition("-")[0] for each in (tmp_path / "grades" / "students").iterdir())
    assert names == ["ada", "mine.txt"]


def test_two_graders_on_one_store_keep_one_truth(tmp_path, monkeypatch):
    """The second grades all of its own between the first one's opening of the store and its writing of the views."""
    for student in ("ada", "bob", "eve", "zoe"):
        put(tmp_path / "submitted", student, WORK if student != "eve" else BLANK)
    judge_all, second = grade_module.judge_all, []

    def judge_all_late(*given):
        if not second:
            second.append("begun")
            assert (tmp_path / "grades" / "grades.sqlite").exists()
            second.append(grade(tmp_path, "submitted/eve", "submitted/zoe", "--to", "grades"))
        judge_all(*given)

    monkeypatch.setattr(grade_module, "judge_all", judge_all_late)
    grade(tmp_path, "submitted/ada", "submitted/bob", "--to", "grades")
    assert len(second) == 2
    rows = {row["student"]: row["points"] for row in marks(tmp_path / "grades")}
    assert rows == {"ada": "2", "bob": "2", "eve": "0", "zoe": "2"}
    assert len(list((tmp_path / "grades" / "students").iterdir())) == 4


def test_a_class_list_gives_everybody_a_row_and_nobody_s_work_a_line(tmp_path):
    put(tmp_path / "submitted", "ada", WORK)
    put(tmp_path / "submitted", "mallory/bob", WORK)
    (tmp_path / "class.csv").write_text("id,name,email\n1,Ada,ada@x.org\n2,Bob,bob@x.org\n3,Zoë,zoe@x.org\n")
    status, text = grade(tmp_path, "submitted", "--roster", "class.csv")
    assert status == 1 and "On the class list, but handed nothing in: Bob, Zoë." in text
    rows = [(row["student"], row["id"], row["points"], row["possible"]) for row in marks(tmp_path / "grades")]
    assert rows == [("Ada", "1", "2", "22"), ("Bob", "2", "0", "22"), ("Zoë", "3", "0", "22")]
    assert text.count("submitted/mallory") == 1 and "submitted/mallory: it belongs to nobody: " in text
    assert "We found nothing that we know you handed in." in page(tmp_path / "grades", "bob")
    assert (tmp_path / "grades" / "class.html").read_text(encoding="utf-8").count("mallory") == 1
    put(tmp_path / "submitted", "bob", BLANK)
    grade(tmp_path, "submitted/bob")  # the list is kept
    assert [(row["student"], row["notes"]) for row in marks(tmp_path / "grades")][2][0] == "Zoë"
    status, text = grade(tmp_path, "submitted", "--roster", "nothing.csv")
    assert status == 2 and "nothing.csv" in text


def test_a_list_that_comes_later_counts_for_what_was_graded_before(tmp_path):
    put(tmp_path / "week1", "ada", WORK)
    put(tmp_path / "week1", "bob", BLANK)
    put(tmp_path / "week2", "ada", BLANK)
    put(tmp_path / "week2", "cyd", WORK)
    (tmp_path / "week2" / "empty").mkdir()
    grade(tmp_path, "week1", "--to", "grades")
    _, text = grade(tmp_path, "week2", "--to", "grades")
    assert "1 student has the same name as one graded before" in text and "Not graded before: cyd, empty." in text
    (tmp_path / "late.csv").write_text("id,name,email\ns1,Ada Lovelace,ada@x.org\ns3,Cyd Charisse,cyd@x.org\n")
    _, text = grade(tmp_path, "week2", "--to", "grades", "--roster", "late.csv")
    assert "The class list now also applies to what was graded earlier: week1, week2." in text
    assert "Graded earlier but no longer there" not in text
    assert "Graded earlier, but nobody's on the class list, so no longer counted: week2/empty." in text
    rows = {row["student"]: row["points"] for row in marks(tmp_path / "grades")}
    assert rows == {"Ada Lovelace": "2", "Cyd Charisse": "2"} and "week1/bob" in text
    (tmp_path / "all.csv").write_text("id,name\nada,Ada\nbob,Bob\ncyd,Cyd\n")
    grade(tmp_path, "week2", "--to", "grades", "--roster", "all.csv")
    rows = {row["student"]: row["points"] for row in marks(tmp_path / "grades")}
    assert rows == {"Ada": "2", "Bob": "0", "Cyd": "2"}


def stopped_at(place, folder, number, count):
    """Start a grading, stop it with a signal when `count` submissions are kept; its processes and what it printed."""
    with start(place, "submitted", *WORKERS, "--to", folder) as process:
        deadline = time.monotonic() + 120
        while kept(folder / "grades.sqlite") < count and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        text = process.communicate(timeout=20)[0]  # below 2 where nothing else runs
    left = psutil.wait_procs(family, timeout=30)[1]
    assert [each for each in left if each.is_running()] == []
    return process.returncode, text


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_stopped_again_and_again_it_goes_on_and_ends_with_the_same_grades(place, undisturbed, tmp_path):
    store = tmp_path / "grades.sqlite"
    for number in (signal.SIGKILL, signal.SIGINT):
        before = kept(store)
        status, text = stopped_at(place, tmp_path, number, before + 1)
        done, skipped = kept(store), kept(store, "WHERE skipped IS NOT NULL")
        assert before < done < 9 and "Traceback" not in text, text
        if number == signal.SIGKILL:
            assert status == -number
        else:
            assert status == 130 and "Interrupted:" in text and "run the same command again to continue." in text
            assert not list(tmp_path.glob("grades.csv"))  # half a class would look like a class
    _, text = grade(place, "submitted", "--to", tmp_path, *HERE, "--write", "csv")
    assert f"{done - skipped} had not changed" in text or done == skipped
    assert marks(tmp_path) == marks(undisturbed[0])


SCRIPT = "from minigrad_course.command import main; main()"  # `python -m` imports numpy before anything of ours


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="the system has no groups of processes")
def test_ctrl_c_ends_it_in_a_sentence_also_while_it_starts(place, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "grade", "submitted", *WORKERS, "--to", str(tmp_path / "grades")],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers, too
        text = process.communicate(timeout=20)[0]  # below 2 where nothing else runs
    assert process.returncode == 130 and "Traceback" not in text and text.count("Interrupted") == 1, text


# --- what ends before anything is judged ---------------------------------------------------------


CANNOT_BEGIN = [
    (["in", "--to", "in/grades"], "among the submissions; name another folder with --to."),
    (["in", "--to", "in"], "among the submissions"),
    (["in", "--write", "pdf"], "--write pdf: the views are csv, json, junit, html."),
    (["in", "--to", "file"], "cannot be made"),
    (["in", "--to", "full"], "cannot be used to store grades"),
    (["empty"], "there is no notebook in it"),
    (["texts"], "texts/a.txt: this is a text, not a notebook; the .ipynb file itself is needed."),
    (["in", "no/such/folder"], "no/such/folder: there is no such file or folder, so nothing was graded"),
    (["in", "full/week1.zip"], "full/week1.zip: there is no such file"),
    (["in/ada/mine.ipynb"], "in/ada/mine.ipynb: there is no such file"),
    (["in", "--dask", "tcp://127.0.0.1:1", "--to", "out"], "no scheduler answers there"),
    (["in", "--workers", "0"], "--workers"),
    (["in", "--seconds", "0"], "--seconds"),
]


def test_a_grading_that_cannot_begin_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "in", "ada", exercise())
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("notes")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "grades.sqlite").write_text("this is not a database" * 100)
    monkeypatch.setattr("minigrad_course.grading.workers.cluster.CONNECT_SECONDS", 1)
    differs = {}
    for arguments, sentence in CANNOT_BEGIN:
        status, text = grade(tmp_path, *arguments, columns=200)
        if status != 2 or sentence not in text.replace("\n", " "):
            differs[" ".join(arguments)] = status, text
    assert differs == {}


def test_require_sandbox_refuses_where_something_is_open(tmp_path, monkeypatch):
    monkeypatch.setattr("minigrad_course.grading.judge.sandbox.Sandbox.unconfined", ["Files can be read."])
    path = saved(exercise(), tmp_path / "ada.ipynb")
    result = CliRunner().invoke(app, ["grade", str(path), "--require-sandbox"], env={"COLUMNS": "200"})
    assert result.exit_code == 2 and "does not confine everything. Files can be read." in result.output
