"""The hints of a part, one at a time: the notebook and the terminal show the same."""

from __future__ import annotations

from minigrad.course.parts import Part


def next_hint(part: Part, shown: int, answer: str) -> tuple[str, int]:
    """The text of the next hint when `shown` were shown before, and how many are shown then.

    After the last it begins again, with the sentence `answer` that says where our answer is.
    """
    hints = part.hints
    before = ""
    if not 0 <= shown < len(hints):
        before, shown = f"That was the last hint. {answer} From the start:\n", 0
    return f"{before}Hint {shown + 1} of {len(hints)}: {hints[shown]}", shown + 1
