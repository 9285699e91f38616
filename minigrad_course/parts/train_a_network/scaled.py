"""The part `scaled`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update
from minigrad_course.programs.program import Place

mistake = Mistakes("scaled")


def fit_from(
    torch: ModuleType, trained: Tensor, weight: Callable[[], Tensor], rows: list[list[float]], ys: list[float]
) -> None:
    """The program with `trained` given to the optimizer and `weight()` used in each step."""
    x, y = torch.tensor(rows), torch.tensor(ys)
    show(weight())
    optimizer = sgd(torch, [trained], 0.05)
    for _ in range(5):
        loss = squared(x @ weight(), y)
        show(loss)
        update(optimizer, loss)
    show(weight())


@mistake(
    "a product",
    "you multiply the Parameter after making it: the optimizer gets the product, which is not a leaf",
)
def product(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    w = torch.nn.Parameter(torch.tensor(start)) * 0.1
    fit_from(torch, w, lambda: w, rows, ys)


@mistake(
    "scaled once",
    "the optimizer has another leaf than w, and w is a product, made once, before the loop: its graph is good for only "
    "one backward",
)
def scaled_once(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    leaf = torch.nn.Parameter(torch.tensor(start))
    w = leaf * 0.1
    fit_from(torch, leaf, lambda: w, rows, ys)


@mistake(
    "scaled anew",
    "you train the large Parameter and scale it again in each step: the factor 0.1 counts twice, in its gradient and "
    "in what its step does, so the small weights move a hundred times too slowly",
)
def scaled_anew(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    leaf = torch.nn.Parameter(torch.tensor(start))
    fit_from(torch, leaf, lambda: leaf * 0.1, rows, ys)


@mistake(
    "scaled anew, shown old",
    "you train the large Parameter and scale it again in each step: the small weights move a hundred times too slowly, "
    "and the ones shown at the end are from before the last step",
)
def scaled_anew_shown_old(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    x, y, leaf = torch.tensor(rows), torch.tensor(ys), torch.nn.Parameter(torch.tensor(start))
    w = leaf * 0.1
    show(w)
    optimizer = sgd(torch, [leaf], 0.05)
    for _ in range(5):
        w = leaf * 0.1
        loss = squared(x @ w, y)
        show(loss)
        update(optimizer, loss)
    show(w)


@mistake("not scaled", "you leave out the factor 0.1: the error is gone, but the weights start ten times too large")
def not_scaled(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    w = torch.nn.Parameter(torch.tensor(start))
    fit_from(torch, w, lambda: w, rows, ys)


@mistake(
    "another Parameter",
    "you show the small weights, and then train a new Parameter made of the large ones",
)
def another_parameter(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    show(torch.tensor(start) * 0.1)
    w, x, y = torch.nn.Parameter(torch.tensor(start)), torch.tensor(rows), torch.tensor(ys)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(5):
        loss = squared(x @ w, y)
        show(loss)
        update(optimizer, loss)
    show(w)


@mistake(
    "scaled in the loss",
    "you moved the factor 0.1 into the line with the loss: this trains and shows the large weights, not the small ones",
)
def scaled_in_the_loss(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    w = torch.nn.Parameter(torch.tensor(start))
    fit_from(torch, w, lambda: w, [[0.1 * item for item in row] for row in rows], ys)


@mistake("a constant", "the small weights are a leaf, but one that does not require grad: the loss has no graph")
def detached_only(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    w = (torch.nn.Parameter(torch.tensor(start)) * 0.1).detach()
    fit_from(torch, w, lambda: w, rows, ys)


@mistake(
    "retained",
    "`retain_grad` satisfies the optimizer, but w is still the result of an operation, whose graph is good for one "
    "backward",
)
def retained_product(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    w = torch.nn.Parameter(torch.tensor(start)) * 0.1
    w.retain_grad()
    fit_from(torch, w, lambda: w, rows, ys)


@mistake("scaled twice", "the factor 0.1 is there twice, in the start values and in the line with the loss")
def scaled_twice(torch: ModuleType, start: list[float], rows: list[list[float]], ys: list[float]) -> None:
    w = torch.nn.Parameter(torch.tensor(start) * 0.1)
    fit_from(torch, w, lambda: w, [[0.1 * item for item in row] for row in rows], ys)


part = Part(
    Place("scaled", "program", "fit_from"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "Which operation was recorded last when the name `w` was bound? What does that make of `w`?",
        "Multiply first, and turn the result into the Parameter. Everything after that counts as an operation.",
        "`torch.nn.Parameter(torch.tensor(start) * 0.1)`",
    ),
    mistakes=tuple(mistake),
    probe="""
losses = [(f"the loss in step {n}", 1) for n in range(1, 6)]
printed(
    lambda: fit_from(torch, [1000.0, 3000.0], [[1.0, 2.0], [0.5, -1.0], [0.2, 0.3]], [700.0, 500.0, -900.0]),
    ("w at the start", 2), *losses, ("w at the end", 2),
)
""",
)
