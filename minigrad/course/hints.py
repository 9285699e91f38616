"""The hints for a part, one at a time, the same in the notebook and the terminal."""

from __future__ import annotations

from minigrad.course.parts import Part


def next_hint(part: Part, shown: int, answer: str) -> tuple[str, int]:
    """The text of the next hint after `shown` hints, and how many have been shown then.

    After the last one it starts over, with the sentence `answer`, which says where to find our answer.
    """
    hints = part.hints
    before = ""
    if not 0 <= shown < len(hints):
        before, shown = f"That was the last hint. {answer} Starting over:\n", 0
    return f"{before}Hint {shown + 1} of {len(hints)}: {hints[shown]}", shown + 1
