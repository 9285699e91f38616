"""The part `retain_grad`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad.graph import hooks
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("retain_grad")


def demand_grad(tensor: Tensor) -> None:
    """The error for a constant, which most wrong versions get right."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


@mistake(
    "leaves too",
    "you ask a leaf to keep its gradient as well: it does so anyway, and now what arrives is counted twice",
)
def leaves_too(tensor: Tensor) -> None:
    demand_grad(tensor)
    hooks.keep(tensor)


@mistake("constants too", "you accept a constant without an error, though no gradient will ever reach it")
def constants_too(tensor: Tensor) -> None:
    if not tensor.is_leaf:
        hooks.keep(tensor)


@mistake(
    "leaves refused",
    "a leaf that requires grad gets the error for constants; it already keeps its gradient, so do nothing",
)
def leaves_refused(tensor: Tensor) -> None:
    if tensor.is_leaf:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    hooks.keep(tensor)


@mistake(
    "by a hook",
    "you keep the gradient with a separate hook, which sees it before hooks that are registered later have run",
)
def by_a_hook(tensor: Tensor) -> None:
    demand_grad(tensor)
    if not tensor.is_leaf:
        tensor.register_hook(lambda grad: setattr(tensor, "grad", grad))


@mistake("does nothing", "you ask nothing to keep its gradient: a result forgets its own")
def does_nothing(tensor: Tensor) -> None:
    demand_grad(tensor)


@mistake("no condition", "you ask the leaf as well, which keeps its gradient anyway, and the constant gets no error")
def no_condition(tensor: Tensor) -> None:
    hooks.keep(tensor)


@mistake("leaves alone", "you ask the leaf, which keeps its gradient anyway, but not the result")
def leaves_alone(tensor: Tensor) -> None:
    demand_grad(tensor)
    if tensor.is_leaf:
        hooks.keep(tensor)


@mistake("another error", "the error is not a RuntimeError: a program that expects torch's does not catch it")
def another_error(tensor: Tensor) -> None:
    if not tensor.requires_grad:
        raise ValueError("can't retain_grad on Tensor that has requires_grad=False")
    if not tensor.is_leaf:
        hooks.keep(tensor)


@mistake("upside down", "tensors that require grad get the error; only the constant should")
def upside_down(tensor: Tensor) -> None:
    if tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not tensor.is_leaf:
        hooks.keep(tensor)


@mistake("results refused", "the result gets the error for constants; call `hooks.keep` for it instead")
def results_refused(tensor: Tensor) -> None:
    if not tensor.is_leaf:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    hooks.keep(tensor)


part = Part(
    Place("retain_grad", "engine", "retain_grad", "minigrad.leaf"),
    points=2,
    minutes=5,
    difficulty=1,
    hints=(
        "`tensor.requires_grad` and `tensor.is_leaf` tell the three cases apart.",
        "The constant gets the error. The leaf keeps its gradient anyway, so do nothing. The "
        "result needs `hooks.keep`.",
    ),
    mistakes=tuple(mistake),
    probe="""
x, = leaves([1.0, 2.0])
for name, tensor in (("a result", x * 2), ("a leaf", x), ("a constant", torch.ones(2)), ("a sum", x.sum())):
    tell(lambda: torch.leaf.retain_grad(tensor), f"`retain_grad` of {name}| ")
    tell(lambda: tensor.register_hook(lambda grad: grad * 3), f"a hook of {name}| ")
    tell(lambda: tensor.sum().backward(), f"`backward()` from {name}| ")
    tell(lambda: tensor.grad, f"the `.grad` that {name} keeps| ")
    tell(lambda: tensor.retains_grad, f"`retains_grad` of {name}| ")
    x.grad = None
""",
)
