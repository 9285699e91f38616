"""The part `accuracy`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update, weights
from minigrad_course.programs.program import Place

mistake = Mistakes("accuracy")


def fit_classes(
    torch: ModuleType, rows: list[list[float]], labels: list[float], loss_of: Callable[[Tensor, Tensor], Tensor]
) -> None:
    """The program with a given loss of probability and label."""
    x, y, w = torch.tensor(rows), torch.tensor(labels), weights(torch, 2)
    optimizer = sgd(torch, [w], 0.5)
    for _ in range(5):
        loss = loss_of(torch.sigmoid(x @ w), y)
        update(optimizer, loss)
        show(loss, w)


@mistake(
    "flag on the loss",
    "no gradient reaches w: a comparison records no graph, setting a flag later does not restore it, and `round` "
    "would send only zeros",
)
def flag_on_the_loss(torch: ModuleType, rows: list[list[float]], labels: list[float]) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared((p > 0.5).float(), y).requires_grad_(True))


@mistake("not cleared", "nothing clears `.grad` between the steps: each follows the sum of all gradients so far")
def not_cleared(torch: ModuleType, rows: list[list[float]], labels: list[float]) -> None:
    x, y, w = torch.tensor(rows), torch.tensor(labels), weights(torch, 2)
    optimizer = sgd(torch, [w], 0.5)
    for _ in range(5):
        loss = squared(torch.sigmoid(x @ w), y)
        loss.backward()
        optimizer.step()
        show(loss, w)


@mistake(
    "no graph",
    "the flag is gone, but no graph leads to w: a comparison records none, and `detach()` cuts it",
)
def no_graph(torch: ModuleType, rows: list[list[float]], labels: list[float]) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared((p > 0.5).float(), y))


@mistake(
    "straight through",
    "the error comes from the rounded guess but the derivative from the probability: no loss has this gradient",
)
def straight_through(torch: ModuleType, rows: list[list[float]], labels: list[float]) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared(p + ((p > 0.5).float() - p).detach(), y))


@mistake(
    "cross entropy",
    "the loss is the cross entropy: it trains well, but the exercise asks for the mean of the squared errors",
)
def cross_entropy(torch: ModuleType, rows: list[list[float]], labels: list[float]) -> None:
    fit_classes(torch, rows, labels, torch.nn.functional.binary_cross_entropy)


@mistake("no sigmoid", "you leave out the sigmoid: the loss uses the probability, a number between 0 and 1")
def no_sigmoid(torch: ModuleType, rows: list[list[float]], labels: list[float]) -> None:
    x, y, w = torch.tensor(rows), torch.tensor(labels), weights(torch, 2)
    optimizer = sgd(torch, [w], 0.5)
    for _ in range(5):
        loss = squared(x @ w, y)
        update(optimizer, loss)
        show(loss, w)


for name, explanation, loss_of in (
    ("summed", "you add up the errors; the loss is their mean", lambda p, y: ((p - y) ** 2).sum()),
    ("not squared", "you do not square the errors: positive and negative ones cancel", lambda p, y: (p - y).mean()),
    (
        "absolute",
        "you take absolute values of the errors; the loss is the mean of their squares",
        lambda p, y: (p - y).abs().mean(),
    ),
):
    mistake(name, explanation)(functools.partial(fit_classes, loss_of=loss_of))


part = Part(
    Place("accuracy", "program", "fit_classes"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "Go back from the loss, one `grad_fn` at a time. Where does the chain end?",
        "How does the number of wrong guesses change when w changes a tiny bit? It is flat almost everywhere, "
        "with jumps in between: it has no useful gradient, whatever the flags say.",
        "Leave out the guess and the flag: the loss is `((probability - y) ** 2).mean()`.",
    ),
    mistakes=tuple(mistake),
    probe="""
steps = [(f"the loss in step {n}", 1) if what else (f"w after step {n}", 2) for n in range(1, 6) for what in (1, 0)]
printed(lambda: fit_classes(torch, [[10.0, 20.0], [5.0, -3.0], [-8.0, 2.0]], [0.0, 1.0, 1.0]), *steps)
""",
)
