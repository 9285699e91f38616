"""The part `accumulate_again`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("accumulate_again")


@mistake(
    "a new sum",
    "each sum is a new tensor, as in chapter 1: a name that somebody gave to `.grad` never sees it",
)
def new_sum(tensor: Any, grad: Any) -> None:
    tensor.grad = grad.clone() if tensor.grad is None else tensor.grad + grad


@mistake(
    "not its own",
    "the leaf keeps the very tensor that arrived first, and adds to it: whoever shares that memory is changed too",
)
def not_its_own(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@mistake("overwrites", "the second backward overwrites `.grad` instead of adding to it")
def overwrites(tensor: Any, grad: Any) -> None:
    tensor.grad = grad.clone()


@mistake("copied over", "the old gradient is overwritten in place: the right tensor, but not the sum")
def copied_over(tensor: Any, grad: Any) -> None:
    if tensor.grad is None:
        tensor.grad = grad.clone()
    else:
        tensor.grad.copy_(grad)


part = Part(
    Place("accumulate_again", "engine", "accumulate", "minigrad.leaf"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "Two cases: nothing is kept yet, or something is.",
        "The first time, keep a copy: `grad.clone()` has memory of its own.",
        "Later, `tensor.grad += grad` changes the tensor that is there. `tensor.grad = tensor.grad + grad` "
        "puts a new one in its place.",
    ),
    mistakes=tuple(mistake),
)
