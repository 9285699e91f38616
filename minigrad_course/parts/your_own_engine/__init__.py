"""Chapter 6: an engine from an empty file, a ladder of programs for it, and a larger program that fails silently."""

from __future__ import annotations

from minigrad_course.parts import Chapter
from minigrad_course.parts.your_own_engine import ladder, silent

chapter = Chapter(number=6, name="06_your_own_engine", together_points=3, parts=(*ladder.rungs, silent.part))
