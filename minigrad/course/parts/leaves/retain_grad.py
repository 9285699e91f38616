"""The part `retain_grad`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.runtime import hooks

mistake = Mistakes("retain_grad")


def demand_grad(tensor: Any) -> None:
    """The error for a constant, which most of the wrong versions have right."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


@mistake(
    "leaves too",
    "a leaf is asked as well: it keeps its gradient anyway, and now what arrives is counted twice",
)
def leaves_too(tensor: Any) -> None:
    demand_grad(tensor)
    hooks.keep(tensor)


@mistake("constants too", "a constant is asked without an error, though no gradient will ever reach it")
def constants_too(tensor: Any) -> None:
    if not tensor.is_leaf:
        hooks.keep(tensor)


@mistake(
    "leaves refused",
    "a leaf that requires grad gets the error of a constant; it keeps its gradient already, so there is nothing to do",
)
def leaves_refused(tensor: Any) -> None:
    if tensor.is_leaf:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    hooks.keep(tensor)


@mistake(
    "by a hook",
    "a hook of its own keeps the gradient: it sees it before the hooks that are registered later have had their turn",
)
def by_a_hook(tensor: Any) -> None:
    demand_grad(tensor)
    if not tensor.is_leaf:
        tensor.register_hook(lambda grad: setattr(tensor, "grad", grad))


@mistake("does nothing", "nothing is asked to keep anything: a result forgets its gradient")
def does_nothing(tensor: Any) -> None:
    demand_grad(tensor)


part = Part(
    Place("retain_grad", "engine", "retain_grad", "minigrad.leaf"),
    points=2,
    minutes=5,
    difficulty=1,
    hints=(
        "`tensor.requires_grad` and `tensor.is_leaf` tell the three cases apart.",
        "The constant gets the error. The leaf keeps its gradient anyway, so there is nothing to do. The "
        "result is the one to call `hooks.keep` for.",
    ),
    mistakes=tuple(mistake),
)
