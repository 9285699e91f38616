"""The part `rebound`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import show, squared, weights
from minigrad.course.program import Place

mistake = Mistakes("rebound")


def descend(torch: Any, xs: list, ys: list, changed: Callable[[Any], Any]) -> None:
    """The program with a given update."""
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        w.grad = None
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        w = changed(w)
    print("a leaf:", w.is_leaf)


@mistake(
    "a new tensor",
    "`w - …` makes a new tensor and gives it the name w: a non-leaf, which keeps no gradient",
)
def new_tensor(torch: Any, xs: list, ys: list) -> None:
    descend(torch, xs, ys, lambda w: w - 0.05 * w.grad)


@mistake("recorded", "a leaf that requires grad is changed in place while operations are recorded")
def changed_while_recorded(torch: Any, xs: list, ys: list) -> None:
    descend(torch, xs, ys, lambda w: w.sub_(0.05 * w.grad))


@mistake(
    "a constant",
    "the new w is made under no_grad or detached: it is a constant, and the next loss has no graph",
)
def new_constant(torch: Any, xs: list, ys: list) -> None:
    descend(torch, xs, ys, torch.no_grad()(lambda w: w - 0.05 * w.grad))


@mistake(
    "zeros",
    "`.grad` is filled with zeros each time: the new w is no leaf and gets nothing, so the zeros stay, and w stands "
    "still without an error",
)
def zeros_instead_of_none(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        w.grad = torch.zeros(1)
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        w = w - 0.05 * w.grad
    print("a leaf:", w.is_leaf)


@mistake(
    "retained",
    "`retain_grad` lets each new w keep its gradient; it runs, but every w is the result of the one before, and each "
    "backward goes back through all of them to the first",
)
def retained_by_all(torch: Any, xs: list, ys: list) -> None:
    def changed(w: Any) -> Any:
        moved = w - 0.05 * w.grad
        moved.retain_grad()
        return moved

    descend(torch, xs, ys, changed)


part = Part(
    Place("rebound", "program", "descend"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "Print `w.is_leaf` before and after the update.",
        "`w = w - …` makes a new tensor. The leaf that received the gradient is still there, without a name.",
        "Change the leaf itself: `w -= 0.05 * w.grad`, and not while operations are recorded.",
    ),
    mistakes=tuple(mistake),
)
