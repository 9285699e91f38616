"""Chapter 2: the parts for results that are not single numbers, their hints, and the mistakes people make in them."""

from __future__ import annotations

from minigrad_course.parts import Chapter
from minigrad_course.parts.upstream_gradients import (
    broadcast,
    derivatives,
    index,
    logsumexp,
    losses,
    matmul,
    mean,
    seed_rule,
    sum,
)

chapter = Chapter(
    number=2,
    name="02_upstream_gradients",
    together_points=3,
    parts=(
        seed_rule.part,
        sum.part,
        mean.part,
        broadcast.part,
        matmul.part,
        index.part,
        derivatives.part,
        losses.part,
        logsumexp.part,
    ),
)
