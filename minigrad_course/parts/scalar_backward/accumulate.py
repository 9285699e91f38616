"""The part `accumulate`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("accumulate")


@mistake("overwrites", "the second backward overwrites `.grad` instead of adding to it")
def overwrites(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad = grad


@mistake("keeps the first", "you set `.grad` once and drop all later gradients")
def keeps_the_first(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad


@mistake("averages", "you average the old and the new gradient; torch adds them")
def averages(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad = grad if tensor.grad is None else (tensor.grad + grad) / 2


@mistake(
    "in place",
    "you add in place with +=, which also changes the gradient of another leaf that got the same tensor",
)
def adds_to_the_same(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@mistake(
    "truth asked",
    "`if tensor.grad` tests whether the gradient is nonzero, which fails for more than one number; `is not None` tests "
    "whether there is one",
)
def truth_asked(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad:
        tensor.grad = tensor.grad + grad
    else:
        tensor.grad = grad


@mistake("zero dropped", "you drop a gradient of 0 as if there were none: `.grad` must be 0 then, not None")
def zero_dropped(tensor: Tensor, grad: Tensor) -> None:
    if (grad != 0).all():
        tensor.grad = grad if tensor.grad is None else tensor.grad + grad


@mistake(
    "never set",
    "you never set `tensor.grad`, so it stays None: store the first gradient there, because the return value is "
    "ignored",
)
def returned(tensor: Tensor, grad: Tensor) -> Tensor:
    return grad if tensor.grad is None else tensor.grad + grad


@mistake(
    "no first time",
    "`tensor.grad` is None before the first backward, and nothing can be added to None",
)
def no_first_time(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad = tensor.grad + grad


@mistake("twice at first", "you store the first gradient and then add it again in the same call: use `else`")
def twice_at_first(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad = grad + grad if tensor.grad is None else tensor.grad + grad


part = Part(
    Place("accumulate", "engine", "accumulate", "minigrad.leaf"),
    points=2,
    minutes=5,
    difficulty=1,
    hints=(
        "Before the first backward `tensor.grad` is None.",
        "The first time, set it. Every later time, set it to the old value plus `grad`.",
    ),
    mistakes=tuple(mistake),
    probe="""
def kept(*gradients):
    x, y = leaves([3.0, -5.0], [0.0, 0.0])
    for each in gradients:
        both = torch.tensor(each, dtype=torch.float64)
        tell(lambda: torch.leaf.accumulate(x, both), "a call of `accumulate`| ")
        tell(lambda: x.grad, "the `.grad` that is left| ")
        y.grad = y.grad if y.grad is not None else both
    tell(lambda: y.grad, "the `.grad` of another leaf that got the same tensor| ")

kept([1.0, 2.0])
kept([1.0, 2.0], [30.0, 40.0], [500.0, 600.0])
kept([0.0, 0.0])
kept([1.0, 2.0], [0.0, 0.0], [30.0, 40.0])
x, = leaves(7.0)
for each in (1.0, 20.0, 300.0, 0.0):
    tell(lambda: torch.leaf.accumulate(x, torch.tensor(each, dtype=torch.float64)), "a call of `accumulate`| ")
    tell(lambda: x.grad, "the `.grad` of a single number| ")
""",
)
