"""The part `penalty`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import sgd, show, squared, update
from minigrad.course.program import Place

mistake = Mistakes("penalty")


def fit_small(torch: Any, rows: list, ys: list, loss_of: Callable[[Any, Any], Any]) -> None:
    """The program with a given loss of the error and w."""
    x, y, w = torch.tensor(rows), torch.tensor(ys), torch.ones(2, requires_grad=True)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(5):
        loss = loss_of(squared(x @ w, y), w)
        update(optimizer, loss)
        show(loss, w)


@mistake(
    "a number",
    "the penalty enters the loss as a plain number: `.item()`, `torch.tensor(…)` and `.detach()` all leave the graph "
    "behind, so it is added to the loss and pulls at nothing",
)
def plain_number(torch: Any, rows: list, ys: list) -> None:
    fit_small(torch, rows, ys, lambda error, w: error + 2 * (w**2).sum().item())


@mistake(
    "a new leaf",
    "the whole loss is put into a new tensor: backward() reaches that tensor and stops there, and w never moves",
)
def new_leaf(torch: Any, rows: list, ys: list) -> None:
    fit_small(torch, rows, ys, lambda error, w: torch.tensor((error + 2 * (w**2).sum()).item(), requires_grad=True))


@mistake("half", "one of the two factors of w² is detached: only half of the penalty's gradient arrives")
def half_of_it(torch: Any, rows: list, ys: list) -> None:
    fit_small(torch, rows, ys, lambda error, w: error + 2 * (w * w.detach()).sum())


part = Part(
    Place("penalty", "program", "fit_small"),
    points=2,
    minutes=5,
    difficulty=1,
    hints=(
        "Which values in the line of the loss have a `grad_fn`?",
        "`.item()` gives a Python number. It has a value and no history.",
        "Leave `.item()` out: the penalty has to stay a tensor until the backward is done.",
    ),
    mistakes=tuple(mistake),
)
