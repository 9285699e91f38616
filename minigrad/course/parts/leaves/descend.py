"""The part `descend`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("descend")


@mistake(
    "a new tensor",
    "`w = w - …` makes a new tensor with the same name; the leaf that everybody else knows has not moved",
)
def a_new_tensor(torch: Any, parameters: Any, lr: float) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            moved = parameter - lr * parameter.grad
            moved.grad = None


@mistake(
    "recorded",
    "the step is taken outside `no_grad`: a leaf that requires grad cannot be changed in place while operations are "
    "recorded",
)
def recorded(torch: Any, parameters: Any, lr: float) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            parameter -= lr * parameter.grad
            parameter.grad = None


@mistake("not forgotten", "the gradients are not forgotten: the next backward adds to them")
def not_forgotten(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad


@mistake(
    "zeros",
    "`.grad` is filled with zeros; forgotten means None, so that a step can tell a zero gradient from none",
)
def zeros(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad
                parameter.grad.zero_()


@mistake("uphill", "the step goes uphill: the gradient points to where the loss grows")
def uphill(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter += lr * parameter.grad
                parameter.grad = None


@mistake(
    "unused",
    "`.grad` is None here, and None is no number: a parameter without a gradient has to be skipped, and a new tensor, "
    "such as `w.detach()`, has no `.grad` at all",
)
def unused(torch: Any, parameters: Any, lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            parameter -= lr * parameter.grad
            parameter.grad = None


part = Part(
    Place("descend", "program", "descend"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "`w = w - …` makes another tensor and gives it the name `w`. Who outside the function knows that one?",
        "`w -= …` changes the tensor that is there. A leaf allows that only while nothing is recorded.",
        "Put the loop into `with torch.no_grad():`, and write `w -= lr * w.grad`. Then `w.grad = None` forgets "
        "the gradient of the right tensor.",
    ),
    mistakes=tuple(mistake),
)
