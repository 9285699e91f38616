"""The part `descend`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("descend")


@mistake(
    "a new tensor",
    "`w - …` or `w.sub(…)` makes a new tensor, whatever its name; the leaf that everybody else uses has not moved",
)
def a_new_tensor(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            moved = parameter - lr * parameter.grad
            moved.grad = None


@mistake(
    "recorded",
    "you take the step outside `no_grad`: a leaf that requires grad cannot be changed in place while operations are "
    "recorded",
)
def recorded(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            parameter -= lr * parameter.grad
            parameter.grad = None


@mistake("not forgotten", "you do not forget the gradients: the next backward adds to them")
def not_forgotten(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad


@mistake(
    "zeros",
    "you fill `.grad` with zeros; forgotten means None, so that a step can tell a zero gradient from none",
)
def zeros(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad
                parameter.grad.zero_()


@mistake("uphill", "the step goes uphill: the gradient points to where the loss grows")
def uphill(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter += lr * parameter.grad
                parameter.grad = None


@mistake(
    "unused",
    "`.grad` is None here, and None is not a number: skip a parameter without a gradient; and a new tensor, "
    "such as `w.detach()`, has no `.grad` at all",
)
def unused(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            parameter -= lr * parameter.grad
            parameter.grad = None


@mistake("the first alone", "only the first parameter takes its step: a `return` inside the loop ends it")
def the_first_alone(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad
                parameter.grad = None
            return


@mistake("truth asked", "`if w.grad` tests the numbers in it; `is not None` tests whether there is one")
def truth_asked(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad:
                parameter -= lr * parameter.grad
                parameter.grad = None


@mistake("no rate", "the step is the whole gradient: multiply it by `lr`")
def no_rate(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= parameter.grad
                parameter.grad = None


@mistake("forgotten too soon", "you forget `.grad` before you take the step: then the step has no gradient to use")
def forgotten_too_soon(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad = None
                parameter -= lr * parameter.grad


@mistake("zero for None", "you set `.grad` to the number 0: it must be a tensor, or None for no gradient")
def zero_for_none(torch: ModuleType, parameters: Sequence[Any], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= lr * parameter.grad
                parameter.grad = 0


@mistake("put in its place", "the parameter becomes the step; subtract the step from it")
def put_in_its_place(torch: ModuleType, parameters: Sequence[Tensor], lr: float) -> None:
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.copy_(lr * parameter.grad)
                parameter.grad = None


part = Part(
    Place("descend", "program", "descend", by_hand=True),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "`w = w - …` makes another tensor and gives it the name `w`. Who outside the function knows that one?",
        "`w -= …` changes the existing tensor. A leaf allows that only while nothing is recorded.",
        "Put the loop into `with torch.no_grad():`, and write `w -= lr * w.grad`. Then `w.grad = None` forgets "
        "the gradient of the right tensor.",
    ),
    mistakes=tuple(mistake),
    probe="""
def stepped(lr, *gradients):
    parameters = leaves(*[[1.0, 2.0] for _ in gradients])
    for each, grad in zip(parameters, gradients):
        each.grad = None if grad is None else torch.tensor(grad, dtype=torch.float64)
    tell(lambda: descend(torch, parameters, lr), "a step| ")
    for each, grad in zip(parameters, gradients):
        which = "a parameter with a gradient" if grad else "a parameter without a gradient"
        tell(lambda: each, f"{which}| ")
        tell(lambda: each.grad, f"the `.grad` of {which}| ")
        tell(lambda: each.is_leaf, f"`is_leaf` of {which}| ")
    tell(lambda: torch.is_grad_enabled(), "whether operations are recorded after the step| ")

stepped(0.1, [10.0, 20.0])
stepped(1.0, [0.0, 3.0], None, [1.0, 1.0])
stepped(0.5, None)
""",
)
