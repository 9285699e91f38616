"""The part `accumulate`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("accumulate")


@mistake("overwrites", "the second backward overwrites `.grad` instead of adding to it")
def overwrites(tensor: Any, grad: Any) -> None:
    tensor.grad = grad


@mistake("keeps the first", "`.grad` is set once, and later gradients are dropped")
def keeps_the_first(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad


@mistake("averages", "old and new gradient are averaged; torch adds them")
def averages(tensor: Any, grad: Any) -> None:
    tensor.grad = grad if tensor.grad is None else (tensor.grad + grad) / 2


@mistake(
    "in place",
    "the sum is made in place with +=, which also changes the gradient of another leaf that was given the same tensor",
)
def adds_to_the_same(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@mistake(
    "truth asked",
    "`if leaf.grad` asks whether the gradient is other than 0, which several numbers cannot answer; `is not None` asks "
    "whether there is one",
)
def truth_asked(tensor: Any, grad: Any) -> None:
    if tensor.grad:
        tensor.grad = tensor.grad + grad
    else:
        tensor.grad = grad


@mistake("zero dropped", "a gradient of 0 is dropped as if it were none: `.grad` is 0 then, and not None")
def zero_dropped(tensor: Any, grad: Any) -> None:
    if (grad != 0).all():
        tensor.grad = grad if tensor.grad is None else tensor.grad + grad


@mistake("returned", "the sum is returned, and `leaf.grad` never set: nobody keeps what is returned")
def returned(tensor: Any, grad: Any) -> Any:
    return grad if tensor.grad is None else tensor.grad + grad


part = Part(
    Place("accumulate", "engine", "accumulate", "minigrad.leaf"),
    points=2,
    minutes=5,
    difficulty=1,
    hints=(
        "Before the first backward `leaf.grad` is None.",
        "Set it the first time. Every later time set it to the old value plus `grad`.",
    ),
    mistakes=tuple(mistake),
)
