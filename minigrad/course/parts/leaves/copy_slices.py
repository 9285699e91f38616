"""The part `copy_slices`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("copy_slices")


@mistake(
    "the old keeps it",
    "the overwritten entries keep their gradient, as if they still had a part in the result",
)
def old_keeps_it(whole: Any, part: Any, inner: Any) -> list:
    _old, *written = inner(part.copy())
    return [whole, *written]


@mistake(
    "no copy",
    "`inner` is given `part` itself: it hands the same memory on to what was written, and the next line writes into it",
)
def no_copy(whole: Any, part: Any, inner: Any) -> list:
    old, *written = inner(part)
    part[...] = old
    return [whole, *written]


@mistake(
    "place for whole",
    "the changed place and the whole are mixed up: what goes to the old tensor has the shape of `whole`; and a single "
    "entry has no axis to slice, so write `part[...]`, not `part[:]`",
)
def place_for_whole(whole: Any, part: Any, inner: Any) -> list:
    return inner(part.copy())


@mistake("all gone", "what was not overwritten loses its gradient as well")
def all_gone(whole: Any, part: Any, inner: Any) -> list:
    _old, *written = inner(part.copy())
    whole[...] = 0
    return [whole, *written]


@mistake("always 0", "the old entries get 0 also where they were multiplied, not overwritten")
def always_zero(whole: Any, part: Any, inner: Any) -> list:
    _old, *written = inner(part.copy())
    part[...] = 0
    return [whole, *written]


@mistake("nothing for the value", "what was written gets no gradient")
def nothing_for_the_value(whole: Any, part: Any, inner: Any) -> list:
    old, *written = inner(part.copy())
    part[...] = old
    return [whole, *[None for _ in written]]


part = Part(
    Place("copy_slices", "engine", "copy_slices", "minigrad.leaf"),
    points=3,
    minutes=10,
    difficulty=3,
    hints=(
        "First ask `inner` what the change makes of the gradient at the changed place: a copy of `part`.",
        "`old, *written = inner(part.copy())`. Now `old` belongs where `part` is.",
        "`part[...] = old` writes it into `whole`. Return `[whole, *written]`.",
    ),
    mistakes=tuple(mistake),
)
