"""Chapter 3: the parts of Jacobians, their hints, and the mistakes people make in them."""

from __future__ import annotations

from minigrad_course.parts import Chapter
from minigrad_course.parts.jacobian_sums import agree, hessian, jvp, mv, numeric_jacobian, roots, slices, weighted_sum

chapter = Chapter(
    number=3,
    name="03_jacobian_sums",
    together_points=3,
    parts=(
        weighted_sum.part,
        slices.part,
        mv.part,
        numeric_jacobian.part,
        agree.part,
        jvp.part,
        hessian.part,
        roots.part,
    ),
)
