"""Several attempts at one exercise in one hand-in: each has numbers of its own, and somebody hears of many."""

import contextlib
import csv
import json
import re

import pytest
from submissions import CHAPTER, mul, only, saved, solution, solution_of
from typer.testing import CliRunner

from minigrad_course import parts
from minigrad_course.cli import app
from minigrad_course.grading.records.record import SEEDS, seed_of

pytestmark = pytest.mark.usefixtures("in_this_process")
SEED = 5
MANY = 6  # of more than five a line speaks


def grade(folder, *args):
    """Run the command: its exit status and what it printed, with what is bold between asterisks."""
    with contextlib.chdir(folder):
        env = {"COLUMNS": "200", "FORCE_COLOR": "1", "TERM": "xterm-256color"}
        result = CliRunner().invoke(app, ["grade", *map(str, args)], env=env)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


def files(folder):
    """The graded files by name."""
    return {each["file"]: each for each in json.loads((folder / "grades.json").read_text())["files"]}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class: ada handed in MANY notebooks of one exercise, of which the fourth is right, and bea one."""
    folder = tmp_path_factory.mktemp("attempts")
    ada, bea = folder / "submitted" / "ada", folder / "submitted" / "bea"
    for each in (ada, bea):
        each.mkdir(parents=True)
    for count in range(MANY):
        made = solution() if count == 3 else solution(mul=mul("return b, a"))
        saved(only(made, "mul"), ada / f"try{count}.ipynb")
    saved(only(solution(), "mul"), bea / "work.ipynb")
    status, printed = grade(folder, "submitted", "--seed", SEED, "--workers", "1")
    return folder, status, printed


def test_seeds_of_attempts_are_apart_and_never_change():
    seeds = [seed_of(SEED, attempt) for attempt in range(1000)]
    assert len(set(seeds)) == 1000 and seeds[0] == SEED and all(0 <= each < SEEDS for each in seeds)
    assert seeds[1:4] == [918324880, 694916040, 66934001]  # a grading of last year can be done again


def test_each_attempt_has_numbers_of_its_own_and_the_first_those_of_the_class(graded):
    folder, _, _ = graded
    found = files(folder / "grades")
    mine = [found[f"submitted/ada/try{count}.ipynb"]["seed"] for count in range(MANY)]
    assert mine == [seed_of(SEED, count) for count in range(MANY)]
    assert found["submitted/bea/work.ipynb"]["seed"] == SEED
    page = next((folder / "grades" / "students").glob("ada-*.html")).read_text(encoding="utf-8")
    assert re.findall(r"Numbers drawn with seed (\d+)", page) == list(map(str, mine))
    page = next((folder / "grades" / "students").glob("bea-*.html")).read_text(encoding="utf-8")
    assert re.findall(r"Numbers drawn with seed (\d+)", page) == [str(SEED)]


def test_a_bold_line_speaks_of_many_attempts_wherever_somebody_looks(graded):
    folder, _, printed = graded
    sentence = f"The best of {MANY} attempts counts, each with numbers of its own: are they guesses?"
    (line,) = [each for each in printed.splitlines() if sentence in each]
    assert re.search(r"\x1b\[1;33m.*ada/try3\.ipynb", line), line
    whole = (folder / "grades" / "class.html").read_text(encoding="utf-8")
    assert "Many attempts at one exercise" in whole and whole.count(sentence) == 1
    with (folder / "grades" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = {each["student"]: each for each in csv.DictReader(file)}
    assert sentence in rows["ada"]["notes"] and "guesses" not in rows["bea"]["notes"]
    assert rows["ada"]["points"] == rows["bea"]["points"]
    assert all("guesses" not in page.read_text(encoding="utf-8") for page in (folder / "grades" / "students").iterdir())


def test_a_file_and_a_folder_come_out_again_with_their_seed(graded):
    folder, _, _ = graded
    before = files(folder / "grades")
    grade(folder, "submitted/ada", "--seed", SEED, "--to", "again", "--workers", "1", "--write", "json")
    assert {name: each["seed"] for name, each in files(folder / "again").items()} == {
        name: each["seed"] for name, each in before.items() if "/ada/" in name
    }
    place = "submitted/ada/try2.ipynb"
    grade(folder, place, "--seed", before[place]["seed"], "--json", "alone.json")
    (alone,) = json.loads((folder / "alone.json").read_text())["files"]
    assert alone["seed"] == before[place]["seed"]
    assert alone["parts"] == before[place]["parts"]  # with the numbers of the lines that differ


def test_numbers_that_a_page_has_shown_are_spent_whoever_had_them(graded):
    folder, _, _ = graded
    status, printed = grade(folder, "submitted/bea", "--seed", seed_of(SEED, 4), "--again", "--workers", "1")
    assert status == 2 and "already show the numbers" in printed


def test_another_exercise_is_no_attempt_and_a_false_name_is_one(tmp_path):
    ada, bea = tmp_path / "submitted" / "ada", tmp_path / "submitted" / "bea"  # two, so that folders are students
    for each in (ada, bea):
        each.mkdir(parents=True)
    saved(only(solution(), "mul"), bea / "work.ipynb")
    other = next(each for each in parts.chapters() if each.number == 2)
    saved(only(solution(), "mul"), ada / "a.ipynb")
    saved(only(solution_of(other), "sum"), ada / "b.ipynb")
    renamed = only(solution(), "mul")
    renamed["metadata"] = {"minigrad": {}, "elsewhere": other.name}  # it does not say that it is the same exercise
    saved(renamed, ada / "c.ipynb")
    grade(tmp_path, "submitted", "--seed", SEED, "--workers", "1", "--write", "json")
    found = files(tmp_path / "grades")
    assert [found[f"submitted/ada/{name}.ipynb"]["seed"] for name in "abc"] == [SEED, SEED, seed_of(SEED, 1)]
    assert found["submitted/ada/c.ipynb"]["exercise"] == CHAPTER.name
