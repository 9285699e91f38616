"""The part `is_leaf`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("is_leaf")


@mistake(
    "constants left out",
    "a leaf has to require grad; but everything without a `grad_fn` is a leaf, constants too",
)
def constants_left_out(tensor: Any) -> bool:
    return tensor.requires_grad and tensor.grad_fn is None


@mistake(
    "the flag",
    "every tensor that requires grad is called a leaf; the result of an operation requires it too",
)
def the_flag(tensor: Any) -> bool:
    return tensor.requires_grad


@mistake("constants only", "only constants are called leaves; a tensor that you asked to require grad is one too")
def constants_only(tensor: Any) -> bool:
    return not tensor.requires_grad


@mistake("upside down", "the tensors with a `grad_fn` are called leaves: they are the ones that are not")
def upside_down(tensor: Any) -> bool:
    return tensor.grad_fn is not None


part = Part(
    Place("is_leaf", "engine", "is_leaf", "minigrad.leaf"),
    points=1,
    minutes=3,
    difficulty=1,
    hints=(
        "Lesson 4 has the table. Which column is it that always agrees with `is_leaf`?",
        "A constant is a leaf too, so `requires_grad` cannot decide. `grad_fn` does.",
        "A leaf is a tensor whose `grad_fn` is None.",
    ),
    mistakes=tuple(mistake),
)
