"""Chapter 1: the parts of the scalar engine, their hints, and the mistakes people make in them."""

from __future__ import annotations

from minigrad_course.parts import Chapter
from minigrad_course.parts.scalar_backward import accumulate, div, hypot, mul, order, pow, record, repair, walk

chapter = Chapter(
    number=1,
    name="01_scalar_backward",
    together_points=3,
    parts=(
        record.part,
        mul.part,
        pow.part,
        div.part,
        order.part,
        walk.part,
        accumulate.part,
        hypot.part,
        repair.part,
    ),
)
