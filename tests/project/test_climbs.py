"""The way of a notebook through `minigrad grade` is short and never goes back: `docs/climbs.py` follows it."""

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from docs_scripts import script

climbs = script("climbs")
# modules of the grader and the command, for a file that is called like a student, and for a class
MOST = {"ada.ipynb": 14, "week1": 32}
ROOT = Path(__file__).parents[2]
EXERCISE = ROOT / "exercises" / "01_scalar_backward.ipynb"


@pytest.mark.parametrize("named", MOST)
def test_the_way_of_a_notebook_never_climbs(tmp_path, named):
    (tmp_path / "week1" / "ada").mkdir(parents=True)
    for place in ("ada.ipynb", f"week1/ada/{EXERCISE.name}"):
        shutil.copy(EXERCISE, tmp_path / place)
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "climbs.py"), named],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    *_, last = done.stdout.splitlines()
    modules, _, found = (int(each.split()[0]) for each in last.split(", "))
    assert found == 0 and done.returncode == 0, done.stdout + done.stderr
    assert 10 < modules <= MOST[named], done.stdout
    stages = {line[4:17].strip() for line in done.stdout.splitlines() if line[:3].strip().isdigit()}
    assert {name for name, _ in climbs.STAGES} <= stages
    assert "grading.judge.sandbox.processes" in done.stdout and "checks.verdicts" in done.stdout  # apart, not counted


def module(name, text, **names):
    made = types.ModuleType(f"minigrad_course.{name}")
    vars(made).update(names)
    exec(text, vars(made))
    return made


def test_a_climb_is_seen():
    low = module("grading.collect.low", "def low(): return 1")
    below = module("grading.people.below", "def below(): return 1")
    high = module("grading.report.high", "def high(): return low.low() + below.below()", low=low, below=below)
    beyond = module("grading.judge.sandbox.beyond", "def beyond(): return 0")
    around = module("checks.around", "def around(): return beyond.beyond()", beyond=beyond)
    top = module("grading.grade", "def top(): return low.low() + high.high() + around.around()", low=low, high=high)
    top.around = around
    way = climbs.Way()
    sys.setprofile(way.hear)
    try:
        top.top()
    finally:
        sys.setprofile(None)
    assert [*way.modules] == [each.__name__ for each in (top, low, high, below)]
    assert [*way.behind, *way.around] == [beyond.__name__, around.__name__]
    assert dict(way.climbs) == {(f"{high.__name__}.high", f"{low.__name__}.low"): 1}
