"""The part `column`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import sgd, show, squared, update, weights
from minigrad.course.program import Place

mistake = Mistakes("column")


def fit_rows(torch: Any, rows: list, ys: list, loss_of: Callable[[Any, Any], Any]) -> None:
    """The program with a given loss of prediction [N, 1] and target [N]."""
    x, y, w = torch.tensor(rows), torch.tensor(ys), weights(torch, 2, 1)
    optimizer = sgd(torch, [w], 0.1)
    for step in range(30):
        loss = loss_of(x @ w, y)
        update(optimizer, loss)
        if step % 10 == 9:
            show(loss, w)


@mistake(
    "every pair",
    "[6, 1] and [6] are broadcast to [6, 6]: every prediction is compared with every target, so that their mean is "
    "the best it can learn",
)
def every_pair(torch: Any, rows: list, ys: list) -> None:
    fit_rows(torch, rows, ys, squared)


@mistake("means", "the two means are compared: a single number each, which says nothing about the rows")
def only_means(torch: Any, rows: list, ys: list) -> None:
    fit_rows(torch, rows, ys, lambda prediction, y: (prediction.mean() - y.mean()) ** 2)


@mistake("first row", "only the first of the six predictions is compared with the targets")
def only_the_first(torch: Any, rows: list, ys: list) -> None:
    fit_rows(torch, rows, ys, lambda prediction, y: squared(prediction[0], y))


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
)
