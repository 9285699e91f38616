"""What a grading leaves if its store is gone, or its disk is full: everything that was there before."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest
from submissions import mul, only, saved, solution
from typer.testing import CliRunner

from minigrad_course.cli import app
from minigrad_course.grading.records.record import VIEWS
from minigrad_course.grading.report import files

pytestmark = pytest.mark.usefixtures("in_this_process")
STUDENTS = ("ada", "bea", "cyd")
LEFT = 150_000  # bytes: room for what the store writes, and not for all pages


def grade(folder, *args):
    """Run the command to its end: exit status and text, without line ends."""
    with contextlib.chdir(folder):
        result = CliRunner().invoke(app, ["grade", *map(str, args)], env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert "Traceback" not in result.output, result.output
    return result.exit_code, " ".join(result.output.split())


def contents(folder):
    """Every file of the views, with its bytes; whatever else a writing may leave is among them."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith((".", "grades.sqlite"))
    }


def handed_in(folder):
    """Three students' notebooks."""
    for student in STUDENTS:
        (folder / "submitted" / student).mkdir(parents=True)
        saved(only(solution(), "mul"), folder / "submitted" / student / "work.ipynb")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A folder with three students' work, and their grades."""
    folder = tmp_path_factory.mktemp("graded")
    handed_in(folder)
    grade(folder, "submitted", "--seed", "5", "--workers", "1")
    return folder


@pytest.fixture
def copied(graded, tmp_path):
    """A copy of it."""
    shutil.copytree(graded, tmp_path / "class")
    return tmp_path / "class"


# --- the store -----------------------------------------------------------------------------------


def emptied(store):
    store.write_bytes(b"")


def without_tables(store):
    store.unlink()
    with contextlib.closing(sqlite3.connect(store)) as database:
        database.execute("VACUUM")  # which makes a file with a header


def removed(store):
    store.unlink()


@pytest.mark.parametrize(("lose", "word"), [(emptied, "empty"), (without_tables, "empty"), (removed, "not there")])
def test_a_store_that_lost_its_grades_is_refused_and_the_views_stay(copied, lose, word):
    grades = copied / "grades"
    before = contents(grades)
    lose(grades / "grades.sqlite")
    status, printed = grade(copied, "submitted/ada", "--to", "grades")
    assert status == 2
    assert f"grades/grades.sqlite is {word}, but {', '.join(VIEWS.values())} beside it show" in printed
    assert "--to" in printed and contents(grades) == before


def test_an_empty_store_without_views_is_a_new_one(tmp_path):
    handed_in(tmp_path)
    (tmp_path / "grades").mkdir()
    (tmp_path / "grades" / "grades.sqlite").touch()  # as a grading leaves it that ended at once
    status, printed = grade(tmp_path, "submitted", "--workers", "1", "--write", "csv")
    assert status == 1 and "grades.csv" in printed


# --- the views -----------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A file system of four megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if sys.platform != "linux" or os.geteuid() or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_fills_up_leaves_the_old_views_whole(graded, small_disk, tmp_path):
    grades = small_disk / "grades"
    shutil.copytree(graded / "grades", grades)
    shutil.copytree(graded / "submitted", small_disk / "submitted")
    wrong = only(solution(mul=mul("return b, a")), "mul")
    saved(wrong, small_disk / "submitted" / "cyd" / "work.ipynb")  # so that all views change
    before = contents(grades)
    filler = small_disk / "filler"
    with filler.open("wb") as file:
        state = os.statvfs(small_disk)
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - LEFT)
    status, printed = grade(small_disk, "submitted", "--workers", "1")
    assert status == 2, printed
    assert "cannot be written: No space left on device. The files in grades are as they were before." in printed
    assert contents(grades) == before
    filler.unlink()
    status, printed = grade(small_disk, "submitted", "--workers", "1")
    after = contents(grades)
    assert status == 1 and after.keys() == before.keys()
    assert all(after[name] != before[name] for name in VIEWS.values())


LIMITED = """
import resource, sys
from pathlib import Path
from minigrad_course.grading.report.files import Together
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    with Together() as together:
        together.write(Path("grades.csv"), "new")
        together.write(Path("class.html"), ["new" * 1000] * 100)
except OSError as error:
    print(error.filename, error.strerror)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no files")
def test_a_file_that_may_not_grow_leaves_all_of_them_as_they_were(tmp_path):
    """The same for everybody: the system refuses to write on, as a full disk does."""
    for name in ("grades.csv", "class.html"):
        (tmp_path / name).write_text("old")
    done = subprocess.run([sys.executable, "-c", LIMITED], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "class.html File too large\n"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"grades.csv": "old", "class.html": "old"}


def test_what_a_writing_left_that_was_killed_is_gone_after_the_next(copied):
    grades = copied / "grades"
    before = contents(grades)
    page = next(path for path in (grades / "students").iterdir())
    gone = page.with_name("ada-0123456789.html")
    (grades / "grades.csv.part").write_text("half of it")
    page.with_name(f"{page.name}.part").write_text("half of it")
    gone.with_name(f"{gone.name}.part").write_text("of somebody who is no longer there")
    (grades / "notes.part").write_text("an instructor's own")
    assert grade(copied, "submitted", "--workers", "1")[0] == 1
    after = contents(grades)
    assert after.pop("notes.part") == b"an instructor's own"
    assert after.keys() == before.keys()


def test_a_folder_in_the_place_of_a_view_leaves_all_others_as_they_were(copied):
    grades = copied / "grades"
    (grades / "class.html").unlink()
    (grades / "class.html").mkdir()
    before = contents(grades)
    saved(only(solution(mul=mul("return b, a")), "mul"), copied / "submitted" / "cyd" / "work.ipynb")
    status, printed = grade(copied, "submitted", "--workers", "1")
    assert status == 2 and "grades/class.html cannot be written: Is a directory." in printed
    assert contents(grades) == before


def test_ctrl_c_while_files_are_put_in_place_waits_until_all_are(tmp_path, monkeypatch):

    real = os.replace

    def interrupted(part, path):
        signal.raise_signal(signal.SIGINT)
        real(part, path)

    monkeypatch.setattr(files.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), files.Together() as together:
        for name in ("one", "two"):
            together.write(tmp_path / name, name)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one": "one", "two": "two"}
