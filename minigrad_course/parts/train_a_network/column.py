"""The part `column`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update, weights
from minigrad_course.programs.program import Place

mistake = Mistakes("column")


def fit_rows(
    torch: ModuleType,
    rows: list[list[float]],
    ys: list[float],
    loss_of: Callable[[Tensor, Tensor], Tensor],
    rate: float = 0.1,
) -> None:
    """The program with a given loss of prediction [N, 1] and target [N]."""
    x, y, w = torch.tensor(rows), torch.tensor(ys), weights(torch, 2, 1)
    optimizer = sgd(torch, [w], rate)
    for step in range(30):
        loss = loss_of(x @ w, y)
        update(optimizer, loss)
        if step % 10 == 9:
            show(loss, w)


@mistake(
    "every pair",
    "[6, 1] and [6] are broadcast to [6, 6]: every prediction is compared with every target, so their mean is "
    "the best the model can learn",
)
def every_pair(torch: ModuleType, rows: list[list[float]], ys: list[float]) -> None:
    fit_rows(torch, rows, ys, squared)


@mistake("means", "you take the mean before the square: that compares two means, which say nothing about the rows")
def only_means(torch: ModuleType, rows: list[list[float]], ys: list[float]) -> None:
    fit_rows(torch, rows, ys, lambda prediction, y: (prediction.mean() - y.mean()) ** 2)


@mistake("first row", "you compare only the first of the six predictions with the targets")
def only_the_first(torch: ModuleType, rows: list[list[float]], ys: list[float]) -> None:
    fit_rows(torch, rows, ys, lambda prediction, y: squared(prediction[0], y))


for name, explanation, loss_of in (
    (
        "summed",
        "you add up the errors; the loss is their mean",
        lambda prediction, y: ((prediction.squeeze(1) - y) ** 2).sum(),
    ),
    (
        "every pair, summed",
        "[6, 1] and [6] are broadcast to [6, 6], and all 36 errors are added up; the loss is the mean of six",
        lambda prediction, y: ((prediction - y) ** 2).sum(),
    ),
    (
        "mean of the targets",
        "you compare every row with the mean of the targets; each row has its own target",
        lambda prediction, y: squared(prediction.squeeze(1), y.mean()),
    ),
    (
        "not squared",
        "you do not square the errors: keep the loss as it was",
        lambda prediction, y: (prediction.squeeze(1) - y).abs().mean(),
    ),
):
    mistake(name, explanation)(functools.partial(fit_rows, loss_of=loss_of))


for rate in (0.5, 0.2, 0.05, 0.01, 0.001):
    mistake(
        f"another rate, {rate:g}",
        "you change the learning rate, which was right: the fault is in the line with the loss",
    )(functools.partial(fit_rows, loss_of=squared, rate=rate))


part = Part(
    Place("column", "program", "fit_rows"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "`print(prediction.shape, y.shape, (prediction - y).shape)`. How many errors should six rows have?",
        "[6, 1] minus [6]: broadcasting lines shapes up from the right, so [6] counts as [1, 6].",
        "Make both [6], with `prediction.squeeze(1)`, or both [6, 1], with `y.unsqueeze(1)`.",
    ),
    mistakes=tuple(mistake),
    probe="""
rows = [[1.0, float(n)] for n in (-2, 1, 2, -1, 3, -3)]
after = [(f"{what} after {n} steps", count) for n in (10, 20, 30) for what, count in (("the loss", 1), ("w", 2))]
printed(lambda: fit_rows(torch, rows, [1000.0, 3000.0, 500.0, -700.0, 200.0, 900.0]), *after)
""",
)
