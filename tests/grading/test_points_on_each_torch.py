"""A submission earns the same points whichever torch is installed: some answers are right with the newer ones only."""

from collections.abc import Iterator

import pytest
from submissions import ours, saved, solution_of

from minigrad.compat import versions
from minigrad_course import parts
from minigrad_course.grading.judge.judge import Judge, read_submission

# what repairs it from torch 2.14 on, and a mistake that no version shows in the last check
ANSWERS = {
    "roots": ("inside**0.5", "z.clamp(min=0) ** 0.5", "(z.clamp(min=0) + 1e-12) ** 0.5"),
    "masked": ("torch.log(w * known)", "torch.log((w * x).clamp(min=0))", "torch.log(w * x + 1e-12)"),
}


@pytest.fixture(scope="module", params=versions.KNOWN)
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    """A judge whose engine speaks a version of torch, in the sandbox too."""
    before = versions.spoken, versions.said
    versions.speak(request.param)
    try:
        with Judge(seed=4711) as judge:
            yield judge
    finally:
        versions.speak(*before)


@pytest.mark.parametrize("part", ANSWERS)
def test_what_holds_in_some_versions_earns_nothing_in_any(judge: Judge, part: str, tmp_path) -> None:
    chapter, (right, clamped, little) = parts.chapter_of(part), ANSWERS[part]
    assert chapter is not None

    ours_alone = read_submission(saved(solution_of(chapter), tmp_path / "ours.ipynb"))
    others = {each.name: judge.result(ours_alone, each.name) for each in chapter.parts}

    def points(answer: str) -> tuple[int, int, str]:
        notebook = solution_of(chapter, **{part: ours(part).replace(right, answer)})
        submission = read_submission(saved(notebook, tmp_path / f"{chapter.name}.ipynb"))
        own = judge.result(submission, part)
        last = judge.result(submission, chapter.together, others | {part: own})
        return own.points, last.points, own.mistake.name if own.mistake else ""

    assert points(right) == (chapter.points(part), chapter.together_points, "")
    assert points(little) == (0, chapter.together_points, "very little added")
    earned, together, mistake = points(clamped)
    assert (earned, together) == (0, 0) and mistake.startswith("clamped")
