"""The hints for a part, one at a time, the same in the notebook and the terminal."""

from __future__ import annotations

from minigrad_course.parts import Part
from minigrad_course.texts import words


def next_hint(part: Part, shown: int, answer: str, language: str = "") -> tuple[str, int]:
    """The text of the next hint after `shown` hints, and how many have been shown then.

    After the last one it starts over. answer: where ours is.
    """
    hints, said = words.hints(part, language), words.words(language)
    before = ""
    if not 0 <= shown < len(hints):
        before, shown = f"{said.last.format(answer=answer)}\n", 0
    return before + said.hint.format(number=shown + 1, count=len(hints), text=hints[shown]), shown + 1
