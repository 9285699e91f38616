"""The part `accumulate_again`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("accumulate_again")


@mistake(
    "a new sum",
    "each sum is a new tensor, as in chapter 1: another name for the old `.grad` never sees it",
)
def new_sum(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad = grad.clone() if tensor.grad is None else tensor.grad + grad


@mistake(
    "not its own",
    "the leaf keeps the very tensor that arrived first and adds to it: this changes every tensor that shares its "
    "memory",
)
def not_its_own(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@mistake("times zero", "`grad * 0` is not 0 where the gradient is infinite, but nan: copy it with `clone()`")
def times_zero(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad * 0
    tensor.grad += grad


@mistake("overwrites", "the second backward overwrites `.grad` instead of adding to it")
def overwrites(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad = grad.clone()


@mistake("copied over", "you overwrite the old gradient in place: that is the right tensor, but not the sum")
def copied_over(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad.clone()
    else:
        tensor.grad.copy_(grad)


NO_FIRST = "`.grad` is None before the first backward, and nothing can be added to None"


@mistake("no first time", NO_FIRST)
def no_first_time(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad += grad


@mistake("no first time, by add_", NO_FIRST)
def no_first_time_by_add(tensor: Tensor, grad: Tensor) -> None:
    tensor.grad.add_(grad)


@mistake("never set", "you never set `.grad`, so it stays None: keep the first gradient as well")
def never_set(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is not None:
        tensor.grad += grad


@mistake("twice at first", "you store the first gradient and then add it again in the same call: use `else`")
def twice_at_first(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad.clone()
    tensor.grad += grad


@mistake("keeps the first", "you set `.grad` once and drop all later gradients")
def keeps_the_first(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad.clone()


@mistake("the other one", "you write the sum to `grad`, which nobody keeps; `tensor.grad` must change")
def the_other_one(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad is None:
        tensor.grad = grad.clone()
    else:
        grad += tensor.grad


@mistake("truth asked", "`if tensor.grad` tests the numbers in it; `is None` tests whether there is one")
def truth_asked(tensor: Tensor, grad: Tensor) -> None:
    if tensor.grad:
        tensor.grad += grad
    else:
        tensor.grad = grad.clone()


part = Part(
    Place("accumulate_again", "engine", "accumulate", "minigrad.leaf"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "There are two cases: nothing is stored yet, or something is.",
        "The first time, keep a copy: `grad.clone()` has its own memory.",
        "Later, `tensor.grad += grad` changes the existing tensor. `tensor.grad = tensor.grad + grad` "
        "puts a new one in its place.",
    ),
    mistakes=tuple(mistake),
    probe="""
def kept(*gradients):
    x, = leaves([3.0, -5.0])
    seen = None
    for each in gradients:
        grad = torch.tensor(each, dtype=torch.float64)
        tell(lambda: torch.leaf.accumulate(x, grad), "a call of `accumulate`| ")
        tell(lambda: x.grad, "the `.grad` that is left| ")
        tell(lambda: x.grad is grad, "whether `.grad` is the very tensor that arrived| ")
        tell(lambda: grad, "the tensor that arrived| ")
        seen = x.grad if seen is None else seen
    tell(lambda: seen, "the first `.grad`, under another name| ")
    tell(lambda: seen is x.grad, "whether `.grad` is still the first one| ")

kept([1.0, 2.0])
kept([1.0, 2.0], [30.0, 40.0], [500.0, 600.0])
kept([0.0, 0.0], [30.0, 40.0])
x, = leaves(7.0)
for each in (1.0, 20.0, 300.0, 0.0):
    tell(lambda: torch.leaf.accumulate(x, torch.tensor(each, dtype=torch.float64)), "a call of `accumulate`| ")
    tell(lambda: x.grad, "the `.grad` of a single number| ")
""",
)
