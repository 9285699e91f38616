"""The part `accuracy`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import sgd, show, squared, update, weights
from minigrad.course.program import Place

mistake = Mistakes("accuracy")


def fit_classes(torch: Any, rows: list, labels: list, loss_of: Callable[[Any, Any], Any]) -> None:
    """The program with a given loss of probability and label."""
    x, y, w = torch.tensor(rows), torch.tensor(labels), weights(torch, 2)
    optimizer = sgd(torch, [w], 0.5)
    for _ in range(5):
        loss = loss_of(torch.sigmoid(x @ w), y)
        update(optimizer, loss)
        show(loss, w)


@mistake(
    "flag on the loss",
    "no gradient reaches w: a comparison records no graph, a flag on the loss does not bring it back, and `round` "
    "would send only zeros",
)
def flag_on_the_loss(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared((p > 0.5).float(), y).requires_grad_(True))


@mistake(
    "no graph",
    "the flag is gone, but the loss is still computed from a comparison, which records no graph",
)
def no_graph(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared((p > 0.5).float(), y))


@mistake(
    "straight through",
    "the error is that of the rounded guess while the derivative is that of the probability: the gradient of no loss",
)
def straight_through(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared(p + ((p > 0.5).float() - p).detach(), y))


@mistake(
    "cross entropy",
    "the loss is the cross entropy: it trains well, but asked for is the mean of the squared errors",
)
def cross_entropy(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, torch.nn.functional.binary_cross_entropy)


part = Part(
    Place("accuracy", "program", "fit_classes"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "Go back from the loss, one `grad_fn` at a time. Where does the chain end?",
        "How does the number of wrong guesses change when w changes a very little? It is flat almost everywhere, "
        "and has jumps in between: no useful gradient, whatever the flags say.",
        "Leave out the guess and the flag: the loss is `((probability - y) ** 2).mean()`.",
    ),
    mistakes=tuple(mistake),
)
