"""`minigrad grade` on a whole class, as an instructor runs it: kept, repeated, interrupted, killed."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from submissions import CHAPTER, cell, exercise, kept, mul, saved, solution
from typer.testing import CliRunner

import minigrad
from minigrad.commands import app

ROOT = Path(minigrad.__file__).parent.parent
NAME = CHAPTER.name
WORKERS = ("--workers", "2", "--seed", "5")


def start(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "minigrad", "grade", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def grade(folder, *arguments):
    """Run the command to its end: exit status and text."""
    with start(folder, *arguments) as process:
        text = process.communicate(timeout=250)[0]
    assert "Traceback" not in text, text
    return process.returncode, text


def marks(folder):
    """The grades as the CSV has them, without what differs from run to run."""
    with (folder / "grades.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def put(folder, student, notebook):
    (folder / student / NAME).mkdir(parents=True, exist_ok=True)
    return saved(notebook, folder / student / NAME / f"{NAME}.ipynb")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a class, graded once without disturbance."""
    place = tmp_path_factory.mktemp("class")
    submitted = place / "submitted"
    for count in range(4):
        put(submitted, f"good{count}", solution())
    put(submitted, "mistaken", solution(mul=mul("return b, a")))
    put(submitted, "untouched", exercise())
    tampered = solution()
    cell(tampered, "check-mul")["source"] += "\nprint('x')"
    put(submitted, "tampered", tampered)
    put(submitted, "unread", exercise()).write_bytes(b"PNG")
    put(submitted, "linked", exercise()).unlink()
    (submitted / "linked" / NAME / f"{NAME}.ipynb").symlink_to(submitted / "good0" / NAME / f"{NAME}.ipynb")
    for kind, notebook in {"exercises": exercise(), "solutions": solution()}.items():
        (submitted / "cloned" / "backward" / kind).mkdir(parents=True)
        saved(notebook, submitted / "cloned" / "backward" / kind / f"{NAME}.ipynb")
    (submitted / "conftest.py").write_text("import os\nos._exit(0)\n")
    return place


@pytest.fixture(scope="module")
def undisturbed(place):
    status, text = grade(place, "submitted", *WORKERS)
    assert status == 1, text
    return place / "grades", text


def test_every_student_has_a_row_and_every_view_is_there(place, undisturbed):
    folder, text = undisturbed
    rows = {row["student"]: row for row in marks(folder)}
    assert {name: row["points"] for name, row in rows.items()} == {
        **{f"good{count}": "20" for count in range(4)},
        **{"mistaken": "16", "untouched": "0", "tampered": "20", "unread": "0", "linked": "0", "cloned": "0"},
    }
    assert rows["linked"]["notes"].endswith("this is a link to another file; hand in the file itself.")
    assert "edited" in rows["tampered"]["notes"] and rows["good0"]["notes"] == ""
    folder_of_solutions = "submitted/cloned/backward/solutions"
    aside = f"{folder_of_solutions}: 1 notebook in it was not graded: solutions are not the student's own work."
    assert rows["cloned"]["notes"] == aside and f"{aside}\n" in text
    data = json.loads((folder / "grades.json").read_text(encoding="utf-8"))
    assert data["seed"] == 5 and len(data["files"]) == 11
    assert len(list((folder / "students").glob("*.html"))) == 10
    assert (folder / "class.html").stat().st_size and (folder / "junit.xml").stat().st_size
    assert "4 of 10 files pass." in text and "--seed 5 repeats this grading." in text
    assert not list(folder.rglob("*.part"))


def test_a_rerun_judges_what_has_changed(place, undisturbed, tmp_path):
    shutil.copytree(place, tmp_path / "copy", symlinks=True)
    copy = tmp_path / "copy"
    put(copy / "submitted", "untouched", solution())
    _, text = grade(copy, "submitted", "--write", "csv")
    assert "10 had not changed since they were judged" in text and "--seed 5 repeats" in text
    rows = {row["student"]: row["points"] for row in marks(copy / "grades")}
    assert rows["untouched"] == "20" and rows["mistaken"] == "16"


def test_a_zip_has_the_same_grades(place, undisturbed, tmp_path):
    shutil.copytree(
        place / "submitted", tmp_path / "in", ignore=shutil.ignore_patterns("linked", "unread", "good1", "good2")
    )
    shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path / "in")
    grade(tmp_path, "all.zip", *WORKERS, "--write", "csv")
    wanted = {row["student"]: row["points"] for row in marks(undisturbed[0])}
    found = {row["student"]: row["points"] for row in marks(tmp_path / "grades")}
    assert found == {name: points for name, points in wanted.items() if name in found} and len(found) == 6


def stopped_at(place, folder, number, count):
    """Start a grading, stop it with a signal when `count` submissions are kept; its processes and what it printed."""
    with start(place, "submitted", *WORKERS, "--to", folder) as process:
        deadline = time.monotonic() + 120
        while kept(folder / "grades.sqlite") < count and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        text = process.communicate(timeout=60)[0]
    left = psutil.wait_procs(family, timeout=30)[1]
    assert [each for each in left if each.is_running()] == []
    return process.returncode, text


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_stopped_again_and_again_it_goes_on_and_ends_with_the_same_grades(place, undisturbed, tmp_path):
    store = tmp_path / "grades.sqlite"
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM):
        before = kept(store)
        status, text = stopped_at(place, tmp_path, number, before + 1)
        done = kept(store)
        assert before < done < 11 and "Traceback" not in text, text
        if number == signal.SIGKILL:
            assert status == -number
        else:
            assert status in (130, 143) and "Interrupted:" in text and "the same command goes on from here." in text
            assert len(marks(tmp_path)) in (done, done - 1)  # a folder left out has no row of its own
    _, text = grade(place, "submitted", "--to", tmp_path, *WORKERS, "--write", "csv")
    assert f"{done} had not changed" in text
    assert marks(tmp_path) == marks(undisturbed[0])


# --- what ends before anything is judged ---------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["in", "--to", "in/grades"], "beside the submissions; name another folder with --to."),
        (["in", "--to", "in"], "beside the submissions"),
        (["in", "--write", "pdf"], "--write pdf: the views are csv, json, junit, html."),
        (["in", "--to", "file"], "cannot be made"),
        (["in", "--to", "full"], "cannot be used as a store of grades"),
        (["empty"], "there is no notebook in it"),
        (["in", "--dask", "tcp://127.0.0.1:1", "--to", "out"], "there is no scheduler"),
        (["in", "--workers", "0"], "--workers"),
        (["in", "--seconds", "0"], "--seconds"),
    ],
)
def test_a_grading_that_cannot_begin_is_a_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "in", "ada", exercise())
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "grades.sqlite").write_text("this is not a database" * 100)
    monkeypatch.setattr("minigrad.grading.cluster.CONNECT_SECONDS", 1)
    result = CliRunner().invoke(app, ["grade", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 2 and sentence in result.output.replace("\n", " "), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_require_sandbox_refuses_where_something_is_open(tmp_path, monkeypatch):
    monkeypatch.setattr("minigrad.grading.sandbox.Sandbox.unconfined", ["Files can be read."])
    path = saved(exercise(), tmp_path / "ada.ipynb")
    result = CliRunner().invoke(app, ["grade", str(path), "--require-sandbox"], env={"COLUMNS": "200"})
    assert result.exit_code == 2 and "does not confine everything. Files can be read." in result.output
