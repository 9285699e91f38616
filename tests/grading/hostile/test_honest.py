"""Honest submissions keep full marks, however they are written and whatever saved them."""

import pytest
from honest import FILES, NOTEBOOKS
from submissions import CHAPTER, saved, solution

from minigrad.grading import assemble


def lost(judge, path):
    """What was not earned: check -> reason."""
    submission = assemble.read(path)
    results = [judge.result(submission, check) for check in CHAPTER.checks]
    assert sum(each.possible for each in results) == 20
    return {each.check: each.what for each in results if not each.passed}


@pytest.mark.parametrize("notebook", NOTEBOOKS.values(), ids=NOTEBOOKS.keys())
def test_an_honest_notebook(patient, tmp_path, notebook):
    assert lost(patient, saved(notebook, tmp_path / "honest.ipynb")) == {}


@pytest.mark.parametrize("write", FILES.values(), ids=FILES.keys())
def test_an_honest_file(patient, tmp_path, write):
    path = tmp_path / "Müller, José (2).ipynb"
    path.write_bytes(write(solution()))
    assert lost(patient, path) == {}
