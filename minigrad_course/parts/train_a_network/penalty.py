"""The part `penalty`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update
from minigrad_course.programs.program import Place

mistake = Mistakes("penalty")


def fit_small(
    torch: ModuleType, rows: list[list[float]], ys: list[float], loss_of: Callable[[Tensor, Tensor], Tensor]
) -> None:
    """The program with a given loss of the error and w."""
    x, y, w = torch.tensor(rows), torch.tensor(ys), torch.ones(2, requires_grad=True)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(5):
        loss = loss_of(squared(x @ w, y), w)
        update(optimizer, loss)
        show(loss, w)


@mistake(
    "a number",
    "the penalty enters the loss as a plain number: `.item()`, `torch.tensor(…)` and `.detach()` all drop the graph; "
    "or backward starts without it. So it is added to the loss but pulls at nothing",
)
def plain_number(torch: ModuleType, rows: list[list[float]], ys: list[float]) -> None:
    fit_small(torch, rows, ys, lambda error, w: error + 2 * (w**2).sum().item())


def number_times(error: Tensor, w: Tensor, factor: float) -> Tensor:
    """The loss with a penalty that is a plain number."""
    return error + factor * (w**2).sum().item()


@mistake(
    "a new leaf",
    "you put the whole loss into a new tensor: backward() stops at that tensor, and w never moves",
)
def new_leaf(torch: ModuleType, rows: list[list[float]], ys: list[float]) -> None:
    fit_small(torch, rows, ys, lambda error, w: torch.tensor((error + 2 * (w**2).sum()).item(), requires_grad=True))


@mistake(
    "half",
    "only half of the penalty's gradient arrives: one of the two factors of w² is detached, or a weight decay does the "
    "work, and that takes w² half",
)
def half_of_it(torch: ModuleType, rows: list[list[float]], ys: list[float]) -> None:
    fit_small(torch, rows, ys, lambda error, w: error + 2 * (w * w.detach()).sum())


for name, explanation, loss_of in (
    (
        "no factor",
        "the penalty is half as large: the factor 2 is missing, or you take the mean of two squares instead of their "
        "sum",
        lambda error, w: error + (w**2).sum(),
    ),
    (
        "absolute",
        "the penalty uses the weights or their absolute values instead of squares",
        lambda error, w: error + 2 * w.abs().sum(),
    ),
    (
        "taken away",
        "you subtract the penalty, which pulls the weights away from zero",
        lambda error, w: error - 2 * (w**2).sum(),
    ),
    ("none", "you leave the penalty out of the loss", lambda error, w: error),
    (
        "a root",
        "you take the root of the penalty: it is the sum of the squares",
        lambda error, w: error + 2 * (w**2).sum() ** 0.5,
    ),
):
    mistake(name, explanation)(functools.partial(fit_small, loss_of=loss_of))


for factor in (0.0002, 0.02, 0.2, 20, 200, 2000):
    mistake(
        f"a number, times {factor:g}",
        "you change the factor, which was right: a factor of any size pulls at nothing here",
    )(functools.partial(fit_small, loss_of=functools.partial(number_times, factor=factor)))


part = Part(
    Place("penalty", "program", "fit_small"),
    points=2,
    minutes=5,
    difficulty=1,
    hints=(
        "Which values in the line with the loss have a `grad_fn`?",
        "`.item()` gives a Python number. It has a value and no history.",
        "Leave out `.item()`: the penalty must stay a tensor until the backward is done.",
    ),
    mistakes=tuple(mistake),
    probe="""
steps = [(f"the loss in step {n}", 1) if what else (f"w after step {n}", 2) for n in range(1, 6) for what in (1, 0)]
printed(lambda: fit_small(torch, [[1.0, 2.0], [0.5, -1.0], [0.2, 0.3]], [700.0, 500.0, -900.0]), *steps)
""",
)
