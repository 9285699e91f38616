"""What counts and where marks go, from end to end: the commands and the course.toml of INSTRUCTORS.md, as they are."""

import contextlib
import csv
import json
import re
from pathlib import Path

import pytest
from submissions import CHAPTER, exercise, mul, only, saved, solution
from typer.testing import CliRunner

from minigrad_course.cli import app

TEXT = (Path(__file__).parents[2] / "INSTRUCTORS.md").read_text(encoding="utf-8")
NAME = CHAPTER.name
SECTIONS = ("## What counts", "## Put the marks where they belong", "## Run it again")
pytestmark = pytest.mark.usefixtures("in_this_process")


def between(first, last):
    return TEXT.split(f"{first}\n")[1].split(f"\n{last}\n")[0]


COUNTS, GOES = between(*SECTIONS[:2]), between(*SECTIONS[1:])
(RULES,) = re.findall(r"```toml\n(.*?)```", COUNTS, re.S)
COMMANDS = re.findall(r"^minigrad (.+)$", COUNTS + GOES, re.M)


def run(folder, command):
    with contextlib.chdir(folder):
        result = CliRunner().invoke(app, command.split(), env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


def rows(folder):
    with (folder / "grades" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A class of three, of whom one has handed in another exercise, and what an instructor has downloaded."""
    place = tmp_path_factory.mktemp("course")
    work = {"ada": solution(), "bob": solution(mul=mul("return b, a")), "cyd": exercise()}
    for student, notebook in work.items():
        folder = place / "submitted" / student / NAME
        folder.mkdir(parents=True)
        saved(notebook, folder / f"{NAME}.ipynb")
        (folder / "timestamp.txt").write_text("2026-11-04 12:00:00.000000 UTC")
    (place / "course.toml").write_text(RULES, encoding="utf-8")
    (place / "Grades-CS101.csv").write_text(
        "Identifier,Full name,Grade,Maximum Grade,Last modified (grade)\r\nNo 1,ada,,10,-\r\nNo 2,bob,,10,-\r\n"
    )
    (place / "gradebook.csv").write_text(
        f"Student,ID,SIS Login ID,Section,{NAME} (7)\r\nPoints Possible,,,,10\r\nada,1,ada,A,\r\nbob,2,bob,A,\r\n"
    )
    (place / "grades-export.csv").write_text(
        f"OrgDefinedId,Username,{NAME} Points Grade <Numeric MaxPoints:10>,End-of-Line Indicator\r\n"
        "#1,#ada,,#\r\n#2,#bob,,#\r\n"
    )
    (place / "gc_fullgc.xls").write_bytes(
        f"Last Name\tFirst Name\tUsername\t{NAME} [Total Pts: 10 Score] |7\r\n\t\tada\t\r\n\t\tbob\t\r\n".encode(
            "utf-16"
        )
    )
    return place


@pytest.fixture(scope="module")
def graded(place):
    """What each command printed, in the order of the text; the first writes pages, too."""
    heard = {}
    for command in COMMANDS:
        more = " --exercise 01" if command.startswith("marks") else ""
        heard[command] = (*run(place, command + more), rows(place))
    return heard


def test_the_points_are_those_of_what_is_assigned(graded):
    status, text, found = graded["grade submitted/ --exercise 01"]
    assert status == 1 and f"What counts: {NAME} (22 points)." in text
    assert {name: (row["points"], row["possible"]) for name, row in found.items()} == {
        "ada": ("22", "22"),
        "bob": ("18", "22"),
        "cyd": ("0", "22"),
    }


def test_the_rules_are_applied_and_nothing_is_graded_again(graded, place):
    status, text, found = graded["grade submitted/ --course course.toml"]
    assert status == 1 and "3 had not changed since they were judged" in text
    second = sum(int(row["possible"]) for row in list(found.values())[:1]) - 2 * 21
    assert second > 0 and {row["possible"] for row in found.values()} == {str(2 * 21 + second)}
    assert (
        found["ada"]["points"] == "42"
        and "In time because of the extension until 2026-11-05 23:59" in found["ada"]["notes"]
    )
    # bob: 21 without pow, 3 for the last check, and the point by hand; two days late
    assert found["bob"][NAME] == "14.4" and found["bob"][f"{NAME}:late"] == "-3.6" and found["bob"]["points"] == "28.8"
    assert "mul: 1 of 1 by hand instead of 0: Right idea, one sign wrong." in found["bob"]["notes"]
    data = json.loads((place / "grades" / "grades.json").read_text(encoding="utf-8"))
    bob = next(each for each in data["students"] if each["student"] == "bob")
    assert (bob["points"], bob["exercises"][0]["deducted"], bob["exercises"][1]["file"]) == (28.8, 3.6, None)
    (page,) = (place / "grades" / "students").glob("bob-*.html")
    assert "1 of 1 by hand instead of 0" in page.read_text(encoding="utf-8") and "−20 %" in page.read_text(
        encoding="utf-8"
    )


def test_points_by_hand_survive_a_grading_that_starts_again(graded, place):
    run(place, "grade submitted/bob --again --write csv")
    assert rows(place)["bob"] == graded["grade submitted/ --course course.toml"][2]["bob"]


@pytest.mark.parametrize("system", ["moodle", "canvas", "gradescope", "brightspace", "blackboard"])
def test_the_marks_are_where_the_text_says(graded, place, system):
    (command,) = (each for each in COMMANDS if each.startswith(f"marks {system}"))
    assert graded[command][0] == 0 and f"grades/{system}" in graded[command][1].replace("\\", "/")
    written = sorted(each.name for each in (place / "grades" / system).rglob("*") if each.is_file())
    if system != "gradescope":
        encoding = "utf-16" if system == "blackboard" else "utf-8"
        sheet = (place / "grades" / system / command.split()[-1]).read_text(encoding=encoding).replace("\t", ",")
        assert ",10" in sheet.splitlines()[-2] and ",6.86" in sheet.splitlines()[-1]
        assert ("feedback.zip" in written) == (system == "moodle")
    else:
        assert len(written) == 3


def test_the_text_has_all_that_is_tested_here():
    assert len(COMMANDS) == 7 and len({each.split()[1] for each in COMMANDS}) == 6


def test_a_single_file_is_out_of_what_is_assigned(place):
    path = saved(only(solution(), "mul"), place / "alone.ipynb")
    status, text = run(place, f"grade {path} --exercise 02")
    assert status == 1 and f"{NAME} is not assigned, so it does not count." in text
    for option, sentence in (("--exercise 77", "no exercise"), ("--course none.toml", "There is no file none.toml.")):
        status, text = run(place, f"grade {path} {option}")
        assert status == 2 and sentence in text
    (place / "wrong.toml").write_text('[[marks]]\nstudent = "bop"\npart = "mul"\npoints = 1\n')
    status, text = run(place, "grade submitted --course wrong.toml")
    assert status == 2 and "wrong.toml: nobody in the class is 'bop'; did you mean bob?" in text


def test_what_is_kept_of_the_rules_is_said_each_time(place):
    path = saved(only(solution(), "mul"), place / "alone.ipynb")
    assert "What counts" not in run(place, f"grade {path} --to kept")[1]
    for option in (" --exercise 01", "", " --again"):
        assert f"What counts: {NAME} (22 points)." in run(place, f"grade {path} --to kept{option}")[1]
