"""The probes of the parts, in the sandbox: they tell the same there, name mistakes, and earn nobody anything."""

import pytest
from submissions import mul, saved, solution, solution_of

from minigrad_course import parts
from minigrad_course.checks import probes
from minigrad_course.grading.judge.judge import Judge, cells_before, read_submission

pytestmark = pytest.mark.usefixtures("one_sandbox")
CHAPTERS = parts.chapters()


@pytest.mark.parametrize("chapter", CHAPTERS, ids=[chapter.name for chapter in CHAPTERS])
def test_a_probe_tells_the_same_in_the_sandbox_as_here(chapter, tmp_path):
    submission = read_submission(saved(solution_of(chapter), tmp_path / "submission.ipynb"))
    with Judge(seed=4711) as judge:
        for part in chapter.parts:
            if part.probe:
                run = judge.run_cells(submission, part.name, cells_before(submission, part.name), probes.text_of(part))
                found, wanted = probes.told(run), probes.told_with(chapter, part, None)
                assert all(probes.same(found, wanted, case) for case in range(len(wanted))), part.name


# Right where the check looks first, and wrong as a known mistake is where it looks later.
PARTLY = mul("a, b = ctx.saved_tensors\nif abs(grad_output) < 1: return grad_output * b, grad_output * a\nreturn b, a")


def test_a_mistake_that_the_check_shows_as_another_is_named(tmp_path):
    submission = read_submission(saved(solution(mul=PARTLY), tmp_path / "submission.ipynb"))
    with Judge(seed=20) as judge:
        result = judge.result(submission, "mul")
    assert not result.passed and result.verdict.tried and result.mistake.name == "no upstream"
    assert result.what.startswith("You return the local derivatives alone")


def test_what_a_probe_finds_excuses_nothing(tmp_path):
    """An answer knows when it is probed: playing a mistake that the last check cannot show must earn nothing."""
    feigned = """
        @part("order")
        def topological_order(root):
            found, waiting = {root}, [root]
            while waiting:
                for target in waiting.pop().edges:
                    if target is not None and target not in found:
                        found.add(target)
                        waiting.append(target)
            if len(found) > 1000:
                raise RecursionError
            if len(found) > 20:
                return [root]
            return sorted(found, key=lambda node: node.number, reverse=True)
        """
    submission = read_submission(saved(solution(order=feigned), tmp_path / "submission.ipynb"))
    with Judge(seed=4711) as judge:
        order = judge.result(submission, "order")
        assert not order.passed and order.verdict.tried and order.mistake.name == "recursive"
        last = judge.result(submission, "chapter1", {"order": order})
    assert not last.passed and "order does not" in last.what
