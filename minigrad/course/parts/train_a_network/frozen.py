"""The part `frozen`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import sgd, show, squared, update
from minigrad.course.program import Place

mistake = Mistakes("frozen")


def fit_head(
    torch: Any, start: tuple[list, list], rows: list, ys: list, output: Callable[[Any, Any], Any], trained: int = 2
) -> None:
    """The program with a given way from features and head to the output; the last `trained` leaves are optimized."""
    x, y = torch.tensor(rows), torch.tensor(ys)
    body, head = [torch.tensor(each, requires_grad=True) for each in start]
    optimizer = sgd(torch, [body, head][-trained:], 0.1)
    for _ in range(4):
        loss = squared(output(torch.tanh(x @ body), head), y)
        update(optimizer, loss)
        show(loss, head)
    show(body)
    print(body.grad)


@mistake(
    "flag of a non-leaf",
    "the flag of a tensor with a history is set to False, which only a leaf allows; or nothing is left that learns",
)
def flag_of_a_non_leaf(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    def output(features: Any, head: Any) -> Any:
        features.requires_grad = False
        return features @ head

    fit_head(torch, (body, head), rows, ys, output)


@mistake("not frozen", "the error is gone, and the body learns along with the head")
def not_frozen(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head)


@mistake("the head", "the head is detached, and so it is the body that learns")
def frozen_head(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head.detach())


@mistake(
    "the optimizer alone",
    "the optimizer holds the head alone: the body stays as it is, but each backward still computes its gradient, and "
    "adds it to what nobody clears",
)
def the_optimizer_alone(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head, trained=1)


part = Part(
    Place("frozen", "program", "fit_head"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "`features` is computed anew in each round. What could its flag, set afterwards, still change?",
        "Either the leaf says that it wants no gradient, or the path to it is cut.",
        "`features = torch.tanh(x @ body).detach()`; or `body.requires_grad_(False)`, once, before the loop.",
    ),
    mistakes=tuple(mistake),
)
