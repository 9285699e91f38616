"""Hostile answers earn nothing, touch nothing, leave nothing behind, and get a reason in one line."""

import pytest
from answers import FAMILIES, inside
from judges import sample
from room import SECRET, stragglers
from submissions import CHAPTER, saved, solution

from minigrad_course.grading.judge.judge import read_submission

ATTACKS = sample(FAMILIES, 7)


def judged(judge, notebook, path, *checks):
    submission = read_submission(saved(notebook, path))
    return [judge.result(submission, check) for check in checks]


@pytest.fixture
def heard(judge, monkeypatch):
    """What the judge is told, also the lines of an answer's own, which no page shows."""
    texts, run_cells = [], judge.run_cells

    def listening(*given, **named):
        texts.append(run_cells(*given, **named))
        return texts[-1]

    monkeypatch.setattr(judge, "run_cells", listening)
    return texts


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_hostile_answer(judge, heard, room, tmp_path, attack):
    hostile = solution(**{attack.part: room.filled(attack.answer)})
    (result,) = judged(judge, hostile, tmp_path / "hostile.ipynb", attack.part)
    assert not result.passed and result.points == 0
    assert heard and SECRET not in "".join(each.text for each in heard) + result.text + result.what
    assert result.what and result.what.isprintable() and len(result.what) < 1000
    assert not attack.ends or any(words in result.what for words in attack.ends), result.what
    assert room.changes() == []
    (following,) = judged(judge, solution(), tmp_path / "next.ipynb", attack.part)
    assert following.passed and following.what == ""
    assert stragglers(judge) == []


def test_what_an_answer_prints_is_heard(judge, heard, tmp_path):
    (result,) = judged(judge, solution(mul=inside(f"print({SECRET!r})").answer), tmp_path / "x.ipynb", "mul")
    assert SECRET in heard[0].text and SECRET not in result.text


def test_nothing_is_handed_on_to_the_next_submission(judge, tmp_path):
    """Not by the flags of a descriptor that both inherit, not by a name, not by the engine's own state."""
    leave = """
    import fcntl, os, builtins, minigrad
    for fd in range(64):
        try:
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND | os.O_NONBLOCK)
        except OSError:
            pass
    builtins.left = minigrad.left = "left"
    minigrad.manual_seed(77)
    minigrad.set_default_dtype(minigrad.float64)
    """
    find = """
    import fcntl, os, builtins, minigrad
    def flags(fd):
        try:
            return fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK)
        except OSError:
            return 0
    found = [flags(fd) for fd in range(64)], hasattr(builtins, "left"), hasattr(minigrad, "left")
    raise ValueError(f"{sum(found[0])} {found[1:]} {minigrad.get_default_dtype()} {minigrad.initial_seed()}")
    """
    said = []
    for payload in (find, leave, find):
        (result,) = judged(judge, solution(mul=inside(payload).answer), tmp_path / "x.ipynb", "mul")
        said.append(result.what)
    assert said[0] == said[2] and "ValueError: 0 (False, False) torch.float32" in said[0]


FATAL = {
    "exit": "import os\nos._exit(0)",
    "crash": "import ctypes\nctypes.string_at(0)",
    "interrupt": "raise KeyboardInterrupt",
}


def test_after_all_of_them_a_whole_solution_passes(judge, tmp_path):
    found = judged(judge, solution(), tmp_path / "x.ipynb", *CHAPTER.checks)
    assert [each.check for each in found if not each.passed] == []


@pytest.mark.parametrize("end", FATAL.values(), ids=FATAL.keys())
def test_a_cell_that_ends_the_process_costs_its_own_part_and_the_last_check_only(judge, tmp_path, end):
    found = judged(judge, solution(pow=end), tmp_path / "x.ipynb", "mul", "pow", "div", "walk", "repair", "chapter1")
    assert [each.check for each in found if not each.passed] == ["pow", "chapter1"]
