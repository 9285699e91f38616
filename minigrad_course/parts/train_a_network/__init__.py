"""Chapter 5: the training loop and ten programs to repair, their hints, and the cures that do not cure."""

from __future__ import annotations

from minigrad_course.parts import Chapter
from minigrad_course.parts.train_a_network import (
    accuracy,
    column,
    frozen,
    masked,
    penalty,
    rebound,
    recurrent,
    scaled,
    shifted,
    train,
    zeroing,
)

chapter = Chapter(
    number=5,
    name="05_train_a_network",
    together_points=3,
    parts=(
        train.part,
        zeroing.part,
        column.part,
        rebound.part,
        scaled.part,
        recurrent.part,
        masked.part,
        accuracy.part,
        penalty.part,
        frozen.part,
        shifted.part,
    ),
)
