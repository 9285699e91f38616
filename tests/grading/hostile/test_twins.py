"""No operation of the engine lends its derivative to an answer; and the checks still have all they need."""

import pytest
from answers import TWINS
from judges import Remembering
from submissions import CHAPTER, saved, solution

from minigrad_course.checks.reference import program_of
from minigrad_course.grading.judge.judge import read_submission
from minigrad_course.grading.judge.strip import needed_derivatives
from minigrad_course.programs import compare


@pytest.fixture(scope="module")
def judge():
    """A judge that asks for the parts of the last check only once."""
    with Remembering(seed=4711) as judge:
        yield judge


@pytest.mark.parametrize("twin", [TWINS["addcmul"], TWINS["logs for the quotient"]], ids=["a product", "a quotient"])
def test_twins_earn_nothing_in_the_last_check_either(judge, tmp_path, twin):
    """There all derivatives are at hand: the text is right, and only the part's own check tells."""
    submission = read_submission(saved(solution(**{twin.part: twin.answer}), tmp_path / "x.ipynb"))
    result = judge.result(submission, CHAPTER.together)
    assert not result.passed and result.points == 0
    if "log" not in twin.answer:  # which the negative numbers of this check do not have
        assert compare.alike(result.text, result.reference)
        assert result.what == f"It counts only if the parts in it pass their own checks, and {twin.part} does not."


def test_a_twin_that_poses_as_a_known_mistake_earns_nothing(judge, tmp_path):
    """The mistake fails the last check, so it does not explain why that passed."""
    start = "def backward(ctx, grad_output):"
    pose = f"{start}\n        if alone:\n            return ctx.b, ctx.saved_tensors[0]"
    posing = "alone = hasattr(minigrad.scalar, 'Div')\n" + TWINS["addcmul"].answer.replace(start, pose)
    submission = read_submission(saved(solution(mul=posing), tmp_path / "x.ipynb"))
    assert judge.result(submission, "mul").mistake.name == "no upstream"
    result = judge.result(submission, CHAPTER.together)
    assert compare.alike(result.text, result.reference) and not result.passed


PARTS = ("mul", "pow", "div", "hypot", "order", "walk", "accumulate")


def test_what_a_check_differentiates():
    found = {check: needed_derivatives(CHAPTER, check, program_of(CHAPTER, check), 1) for check in PARTS}
    engine = {check: {each for each in names if each.startswith("minigrad.scalar.")} for check, names in found.items()}
    assert engine == {
        "mul": set(),
        "pow": {"minigrad.scalar.Mul", "minigrad.scalar.Add"},
        "div": {"minigrad.scalar.Add"},
        "hypot": {"minigrad.scalar.Mul"},
        "order": {"minigrad.scalar.Mul", "minigrad.scalar.Add", "minigrad.scalar.Div"},
        "walk": {"minigrad.scalar.Mul", "minigrad.scalar.Add", "minigrad.scalar.Sub"},
        "accumulate": {"minigrad.scalar.Mul", "minigrad.scalar.Add", "minigrad.scalar.Pow"},
    }


def test_a_program_of_the_student_s_own_or_one_that_differentiates_twice_may_need_all():
    twice = "x = torch.tensor(2., requires_grad=True)\n(x * x).backward(create_graph=True)"
    texts = {check: program_of(CHAPTER, check) for check in ("repair", CHAPTER.together)} | {"mul": twice}
    assert {check: needed_derivatives(CHAPTER, check, text, 1) for check, text in texts.items()} == dict.fromkeys(texts)
