"""Hostile answers earn nothing, touch nothing, leave nothing behind, and get a reason in one line."""

import pytest
from answers import ATTACKS
from room import SECRET, stragglers
from submissions import saved, solution

from minigrad.grading import assemble


def judged(judge, notebook, path, *checks):
    submission = assemble.read(saved(notebook, path))
    return [judge.result(submission, check) for check in checks]


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_hostile_answer(judge, room, tmp_path, attack):
    hostile = solution(**{attack.part: room.filled(attack.answer)})
    (result,) = judged(judge, hostile, tmp_path / "hostile.ipynb", attack.part)
    assert not result.passed and result.points == 0
    assert SECRET not in result.text + result.what
    assert result.what and result.what.isprintable() and len(result.what) < 1000
    assert not attack.ends or any(words in result.what for words in attack.ends), result.what
    assert room.changes() == []
    following = judged(judge, solution(), tmp_path / "next.ipynb", attack.part, "chapter1")
    assert [each.what for each in following] == ["", ""]
    assert stragglers(judge) == []
