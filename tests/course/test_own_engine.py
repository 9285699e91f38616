"""Chapter 6: one cell is an engine, and each check of the ladder a part of its own."""

import pytest

from minigrad_course.checks.reference import program_of, solutions
from minigrad_course.checks.verdicts import Here, judge
from minigrad_course.learner.small import code_lines
from minigrad_course.parts import chapter_of
from minigrad_course.parts.your_own_engine.engine import ENGINE, Changed
from minigrad_course.programs.cells import module_of
from minigrad_course.texts import source

CHAPTER = chapter_of("my_scalar")
RUNGS = [part for part in CHAPTER.parts if part.place.kind == "module"]


def passed(engine):
    """The rungs that an engine reaches."""
    answers = dict.fromkeys([part.name for part in RUNGS], engine)
    checks = [part.name for part in RUNGS]
    here = [Here(CHAPTER, check, program_of(CHAPTER, check), answers) for check in checks]
    return [each.check for each in here if judge(each).state == "passed"]


def test_the_mistakes_are_made_of_the_solution():
    cell = source.read("solutions", CHAPTER.name).answers()["my_scalar"]
    assert cell.source == f"%%engine\n{ENGINE}".rstrip("\n")
    assert cell.parts == [part.name for part in RUNGS]


def test_our_engine_is_some_150_lines_and_reaches_every_rung():
    assert 90 <= len(code_lines(ENGINE)) <= 150
    assert passed(Changed()()) == [part.name for part in RUNGS]


def test_an_engine_earns_the_rungs_that_it_reaches():
    """One that knows of no changes in place reaches all others; one without matrices fails where there are some."""
    uncounted = next(
        each for each in chapter_of("my_in_place").part("my_in_place").mistakes if each.name == "not counted"
    )
    names = [part.name for part in RUNGS]
    assert passed(uncounted.answer()) == [name for name in names if name != "my_in_place"]
    without = Changed(
        (
            "Tensor.__matmul__, Tensor.__pow__, Tensor.__isub__ = matmul, power,",
            "Tensor.__pow__, Tensor.__isub__ = power,",
        )
    )
    assert passed(without()) == [name for name in names if name not in ("my_jacobian", "my_in_place", "my_training")]


def test_an_empty_cell_is_still_to_be_written():
    module, failure = module_of("%%engine\n# nothing yet\n")
    assert failure is None and passed(module) == []
    verdict = judge(Here(CHAPTER, "my_scalar", program_of(CHAPTER, "my_scalar"), {"my_scalar": module}))
    assert verdict.state == "open" and verdict.headline == "… my_scalar: Your engine is still to be written."


@pytest.mark.parametrize("line", ["import torch", "from minigrad import tensor", "import numpy, torch.nn as nn"])
def test_an_engine_that_imports_another_one_is_refused(line):
    _, failure = module_of(f"%%engine\nx = 1\n{line}\n")
    assert failure.startswith("The cell imports ") and "line 3" in failure


def test_an_error_says_where_it_happened():
    text = f"%%engine\n{ENGINE}".replace("np.tanh(a.data)", "np.tanhh(a.data)")
    module, failure = module_of(text)
    assert failure is None
    verdict = judge(Here(CHAPTER, "my_jacobian", program_of(CHAPTER, "my_jacobian"), {"my_jacobian": module}))
    line = text[: text.index("np.tanhh")].count("\n") + 1
    assert f"line {line} of its cell" in verdict.headline and "tanhh" in verdict.headline


def test_the_silent_program_is_given_with_half_of_its_leaves_cut_off(capsys):
    """Its loss falls nevertheless: that is what makes the fault silent."""
    text = program_of(CHAPTER, "silent")
    given = judge(Here(CHAPTER, "silent", text, dict(solutions(CHAPTER.name, solved=False))))
    losses = [float(line) for line in given.text.splitlines()[:-1]]
    assert losses == sorted(losses, reverse=True) and given.mistake.name == "cut"
