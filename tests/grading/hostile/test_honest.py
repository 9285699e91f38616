"""Honest submissions keep full marks, however they are written and whatever saved them, with every seed.

MINIGRAD_SEEDS says how many seeds; without it, one, and some of the habits.
"""

import json

import pytest
from honest import HONEST, HONEST_HABITS, SLOW
from judges import sample, seeds
from submissions import OWN, SOLUTION, saved

from minigrad_course.grading.judge.judge import read_submission

NOTEBOOKS = HONEST | sample({"habit": HONEST_HABITS}, 8)
SLOW_SEEDS = 5  # for what is slow in the cell, whatever the numbers are


def lost(judge, submission):
    """What was not earned: check -> reason."""
    results = {}
    for check in submission.chapter.checks:
        results[check] = judge.result(submission, check, results)
    assert sum(each.possible for each in results.values()) >= 20
    return {each.check: each.what for each in results.values() if not each.passed}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_an_honest_notebook(judges, tmp_path, name):
    most = SLOW_SEEDS if name.partition(": ")[2] in SLOW else 1000
    submission = read_submission(saved(NOTEBOOKS[name], tmp_path / "honest.ipynb"))
    found = {seed: lost(judges[seed], submission) for seed in seeds(default=1)[:most]}
    assert {seed: each for seed, each in found.items() if each} == {}


FILES = {
    "indented": lambda notebook: json.dumps(notebook, indent=4).encode(),
    "with ends of line of another system": lambda notebook: (
        json.dumps(notebook, indent=1).replace("\n", "\r\n").encode()
    ),
    "sorted": lambda notebook: json.dumps(notebook, sort_keys=True, ensure_ascii=False).encode(),
    "with a byte order mark": lambda notebook: b"\xef\xbb\xbf" + json.dumps(notebook).encode(),
}


def test_an_honest_file_has_its_answers_whatever_has_written_it(tmp_path):
    path = tmp_path / "Müller, José (2).ipynb"
    path.write_bytes(json.dumps(SOLUTION | OWN).encode())
    plain, differs = read_submission(path), {}
    for name, write in FILES.items():
        path.write_bytes(write(SOLUTION | OWN))
        found = read_submission(path)
        if (found.answers, found.notices) != (plain.answers, plain.notices):
            differs[name] = found.notices
    assert differs == {}
