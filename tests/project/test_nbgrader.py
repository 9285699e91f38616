"""nbgrader itself releases, collects and grades our notebooks: full marks for answers, nothing for none."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minigrad.course.parts import Chapter, chapters

ROOT = Path(__file__).parents[2]
FIRST, *_, LAST = chapters()  # nbgrader takes seconds for each submission
SECONDS = 240
COMMANDS = re.findall(r"^nbgrader (.+?)(?:\s{3}.*)?$", (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8"), re.M)
OF_STUDENTS = ("list", "fetch_assignment", "submit", "fetch_feedback")

needs_nbgrader = pytest.mark.skipif(
    not importlib.util.find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[test]'"
)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """An instructor's folder, with an exchange beside it."""
    folder = tmp_path / "course"
    folder.mkdir()
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    return folder


def run(course: Path, folder: Path, *command: str, status: int = 0) -> str:
    """Run Python in a folder, with nobody's settings but ours; what it printed. It has to end with `status`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic
    ours = {"HOME": str(course.parent), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": path}
    foreign = ("JUPYTER_", "IPYTHON", "NBGRADER")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | ours
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == status, f"{' '.join(command)}\n{done.stdout[-1000:]}{done.stderr[-3000:]}"
    return done.stdout


def built(kind: str, chapter: Chapter) -> Path:
    return ROOT / kind / f"{chapter.name}.ipynb"


def hand_in(course: Path, student: str, notebook: Path) -> None:
    place = course / "submitted" / student / notebook.stem
    place.mkdir(parents=True)
    shutil.copy(notebook, place)


def prepare(course: Path, chapter: Chapter) -> None:
    """The solution is the instructor's version."""
    source = course / "source" / chapter.name
    source.mkdir(parents=True)
    shutil.copy(built("solutions", chapter), source)


def solve(notebook: Path, chapter: Chapter) -> int:
    """Write the answers of the solution into what nbgrader gave to a student; how many."""
    answers = {cell["id"]: cell for cell in read(built("solutions", chapter))["cells"]}
    given = read(notebook)
    written = 0
    for cell in given["cells"]:
        if "part" in cell["metadata"].get("minigrad", {}):
            assert cell["source"] != answers[cell["id"]]["source"]
            cell["source"] = answers[cell["id"]]["source"]
            written += 1
    notebook.write_text(json.dumps(given), encoding="utf-8")
    return written


def read(notebook: Path) -> dict[str, Any]:
    return json.loads(notebook.read_text(encoding="utf-8"))


def most(chapter: Chapter) -> int:
    return sum(chapter.points(check) for check in chapter.checks)


@needs_nbgrader
@pytest.mark.timeout(900)  # a dozen commands, each of which starts Python anew
@pytest.mark.skipif(os.name == "nt", reason="nbgrader's exchange is not made for Windows")
def test_a_class_from_release_to_grades_with_the_commands_of_the_instructors_page(course: Path) -> None:
    prepare(course, FIRST)
    student = course.parent / "student"
    student.mkdir()
    for folder in (course, student):
        settings = 'c = get_config()\nc.CourseDirectory.course_id = "backward"\n'
        (folder / "nbgrader_config.py").write_text(f"{settings}c.Exchange.root = {str(course.parent / 'exchange')!r}\n")
    names = [command.split()[0] for command in COMMANDS]
    assert names.index("release_assignment") < names.index("fetch_assignment") < names.index("submit")
    assert names.index("submit") < names.index("collect") < names.index("autograde") < names.index("export")
    for command in COMMANDS:
        name, *arguments = command.split()
        if name == "submit":
            assert solve(student / FIRST.name / f"{FIRST.name}.ipynb", FIRST) == len(FIRST.parts)
        if name == "autograde":
            hand_in(course, "untouched", course / "release" / FIRST.name / f"{FIRST.name}.ipynb")
        run(course, student if name in OF_STUDENTS else course, "-m", "nbgrader", name, *arguments)
    with (course / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in rows}
    assert scores.pop("untouched") == (0, most(FIRST))
    assert list(scores.values()) == [(most(FIRST), most(FIRST))]
    pages = list(course.glob(f"feedback/*/{FIRST.name}/*.html"))
    assert len(pages) == len(rows)
    # our own grader reads the same folder, and comes to the same points
    run(course, course, "-m", "minigrad", "grade", "submitted/", "--workers", "1", status=1)
    with (course / "grades" / "grades.csv").open(newline="") as file:
        ours = {row["student"]: float(row["points"]) for row in csv.DictReader(file)}
    assert ours == {row["student_id"]: float(row["score"]) for row in rows}


@needs_nbgrader
@pytest.mark.parametrize("chapter", [LAST], ids=lambda chapter: chapter.name)
def test_the_last_chapter_gives_full_marks_for_answers_and_none_for_none(chapter: Chapter, course: Path) -> None:
    prepare(course, chapter)
    hand_in(course, "honest", built("solutions", chapter))
    hand_in(course, "untouched", built("exercises", chapter))
    printed = run(course, course, str(Path(__file__).with_name("nbgrader_scores.py")), str(course))
    scores = {"honest": [most(chapter), most(chapter)], "untouched": [0, most(chapter)]}
    assert json.loads(printed.splitlines()[-1]) == {chapter.name: scores}
