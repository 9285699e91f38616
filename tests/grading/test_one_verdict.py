"""Notebook, terminal and grader say the same about an answer: one function judges for all of them."""

import re
import textwrap

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from submissions import CHAPTER, exercise, mul, saved
from typer.testing import CliRunner

from minigrad_course.checks import hint_log, verdicts
from minigrad_course.cli import app
from minigrad_course.grading.judge.judge import Judge, read_submission
from minigrad_course.grading.judge.nbval import verdict_lines
from minigrad_course.grading.records.record import Limits
from minigrad_course.texts import source

SECONDS = 1.0  # of processor time, in all three places
RIGHT = "return grad_output * b, grad_output * a"
ANSWERS = {
    "right": mul(RIGHT),
    "a known mistake": mul("return b, a"),
    "no known mistake": mul("return grad_output * 0.7, grad_output * 2.1"),
    "an error": mul("return grad_output * nothing, a"),
    "it hangs": mul("while True: pass"),
    "it prints": mul(f"print('debug')\n{RIGHT}"),
    "it prints, and is wrong": mul("print('debug')\nreturn b, a"),
    "it prints too much": mul(f"print('x' * 2_000_000)\n{RIGHT}"),
    "still to be written": mul("raise NotImplementedError"),
    "not of the right kind": '@part("mul")\ndef mul(a, b): return a * b',
    "one gradient too few": mul("return grad_output * b"),
}


@pytest.fixture(scope="module")
def judge():
    limits = Limits(seconds=20, cpu_seconds=SECONDS, cell_seconds=SECONDS)
    with Judge(seed=verdicts.SEED, limits=limits) as judge:
        yield judge


def in_notebook(answer):
    """The verdict that `%%check` shows."""
    shell = InteractiveShell.instance()
    try:
        for each in source.read("solutions", CHAPTER.name).cells:
            if each.role == "setup":
                shell.run_cell(each.source)
        with capture_output():
            shell.run_cell(answer)
        with capture_output() as seen:
            shell.run_cell(f"%%check mul\n{source.read('solutions', CHAPTER.name).programs()['mul']}")
        return seen.outputs[-1].data["text/plain"]
    finally:
        InteractiveShell.clear_instance()


def in_terminal(answer, folder):
    """The verdict that `minigrad check` prints."""
    (folder / "exercises").mkdir(parents=True)
    saved(exercise(mul=answer), folder / "exercises" / f"{CHAPTER.name}.ipynb")
    return CliRunner().invoke(app, ["check", "mul", "-f", str(folder / "exercises")], env={"COLUMNS": "1000"}).stdout


def in_grading(judge, answer, folder):
    """The verdict that a grading shows as nbval's failure."""
    result = judge.result(read_submission(saved(exercise(mul=answer), folder / "submission.ipynb")), "mul")
    return result.verdict.told() if result.passed else "\n".join(verdict_lines(result))


PLACE = r"(One place makes|Two places make) the difference.*"  # to look for it takes too long in a grading
ONLY_THERE = re.compile(rf"both: .*|After it comes .*|Next: .*|For a hint, run .*|All lines: .*|{PLACE}")


def said(text):
    """The sentence, both lines and the explanation, as one line: without the commands that each place names."""
    lines = text.partition("\n\n")[0].splitlines()
    return " ".join(" ".join(ONLY_THERE.sub("", line) for line in lines).split())


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_the_verdict_is_the_same_in_all_three_places(answer, judge, tmp_path, monkeypatch):
    monkeypatch.setattr(hint_log, "place", lambda: tmp_path / "state" / "asked.json")
    monkeypatch.setattr(verdicts, "SECONDS", SECONDS)
    answer = textwrap.dedent(answer).strip()
    found = [in_notebook(answer), in_terminal(answer, tmp_path), in_grading(judge, answer, tmp_path)]
    notebook, terminal, grading = map(said, found)
    assert notebook == terminal == grading
    assert notebook[0] in "✓✗…" and notebook[1:].startswith(" mul")


def test_the_answers_above_come_to_different_verdicts(judge, tmp_path):
    found = {name: said(in_grading(judge, textwrap.dedent(text).strip(), tmp_path)) for name, text in ANSWERS.items()}
    assert len(set(found.values())) == len(ANSWERS), found
