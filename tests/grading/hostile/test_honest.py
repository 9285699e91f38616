"""Honest submissions keep full marks, however they are written and whatever saved them, with every seed.

MINIGRAD_SEEDS says how many seeds; without it, one, and a twelfth of the answers.
"""

import pytest
from honest import FILES, NOTEBOOKS, OTHERS, WRITTEN
from judges import sample, seeds
from submissions import saved, solution

from minigrad_course.grading.judge.judge import read_submission

HONEST = NOTEBOOKS | sample({"scalar": WRITTEN, **OTHERS})
SLOW = ("several seconds", "a long loop", "a pause")  # in the cell, whatever the numbers are: a few seeds will do


def lost(judge, path):
    """What was not earned: check -> reason."""
    submission = read_submission(path)
    results = {}
    for check in submission.chapter.checks:
        results[check] = judge.result(submission, check, results)
    assert sum(each.possible for each in results.values()) >= 20
    return {each.check: each.what for each in results.values() if not each.passed}


def lost_with(judges, path, most=1000):
    """The same for every seed with which something was not earned."""
    found = {seed: lost(judges[seed], path) for seed in seeds(default=1)[:most]}
    return {seed: each for seed, each in found.items() if each}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_notebook(judges, tmp_path, name):
    most = min(5, len(seeds(default=1)) // 2 or 1) if any(words in name for words in SLOW) else 1000
    assert lost_with(judges, saved(HONEST[name], tmp_path / "honest.ipynb"), most) == {}


@pytest.mark.parametrize("write", FILES.values(), ids=FILES.keys())
def test_an_honest_file(judges, tmp_path, write):
    path = tmp_path / "Müller, José (2).ipynb"
    path.write_bytes(write(solution()))
    assert lost_with(judges, path) == {}
