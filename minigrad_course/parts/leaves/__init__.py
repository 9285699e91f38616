"""Chapter 4: the parts of leaves, their hints, and the mistakes people make in them."""

from __future__ import annotations

from minigrad_course.parts import Chapter
from minigrad_course.parts.leaves import (
    accumulate_again,
    check_versions,
    copy_slices,
    descend,
    detach,
    free,
    in_place,
    is_leaf,
    no_grad,
    retain_grad,
)

chapter = Chapter(
    number=4,
    name="04_leaves",
    together_points=3,
    parts=(
        is_leaf.part,
        accumulate_again.part,
        retain_grad.part,
        detach.part,
        no_grad.part,
        check_versions.part,
        free.part,
        in_place.part,
        copy_slices.part,
        descend.part,
    ),
)
