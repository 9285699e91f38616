"""The part `masked`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import show
from minigrad.course.program import Place

mistake = Mistakes("masked")


def fit_known(torch: Any, xs: list, ys: list, loss_of: Callable[[Any, Any, Any], Any], cleaned: bool = False) -> None:
    """The program with a given loss of w, x and y."""
    x, y = torch.tensor(xs), torch.tensor(ys)
    w = torch.tensor(1.0, requires_grad=True)
    for _ in range(4):
        w.grad = None
        loss = loss_of(w, x, y)
        loss.backward()
        with torch.no_grad():
            if not (cleaned and w.grad.isnan().item()):
                w -= 0.02 * w.grad
        show(loss, w)


def masked_after(torch: Any, w: Any, x: Any, y: Any) -> Any:
    """The loss that masks what log has already spoilt."""
    return torch.where(x > 0, (torch.log(w * x) - y) ** 2, torch.zeros_like(x)).sum()


@mistake(
    "masked too late",
    "`where` sends 0 back to the gap, and the derivative of log is infinite there: 0 · ∞ = nan, and the sum over all "
    "rows is nan",
)
def masked_too_late(torch: Any, xs: list, ys: list) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: masked_after(torch, w, x, y))


@mistake(
    "multiplied",
    "the errors are multiplied by the mask: the error of a gap is infinite, and 0 · ∞ = nan on the way forward already",
)
def multiplied(torch: Any, xs: list, ys: list) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: ((x > 0) * (torch.log(w * x) - y) ** 2).sum())


@mistake(
    "gradient cleaned",
    "a gradient that is nan is dropped or made 0: what the good rows had to say is in it, and w never moves",
)
def gradient_cleaned(torch: Any, xs: list, ys: list) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: masked_after(torch, w, x, y), cleaned=True)


@mistake("gaps count", "the gaps are filled with 1, and then they count in the loss as if they were measured")
def gaps_count(torch: Any, xs: list, ys: list) -> None:
    def loss_of(w: Any, x: Any, y: Any) -> Any:
        return ((torch.log(w * torch.where(x > 0, x, torch.ones_like(x))) - y) ** 2).sum()

    fit_known(torch, xs, ys, loss_of)


@mistake(
    "a little added",
    "a small number is added under the logarithm: 0 does no harm then, but a measurement just as small comes out wrong",
)
def a_little_added(torch: Any, xs: list, ys: list) -> None:
    def loss_of(w: Any, x: Any, y: Any) -> Any:
        return torch.where(x > 0, (torch.log(w * x + 1e-6) - y) ** 2, torch.zeros_like(x)).sum()

    fit_known(torch, xs, ys, loss_of)


part = Part(
    Place("masked", "program", "fit_known"),
    points=3,
    minutes=10,
    difficulty=3,
    hints=(
        "The way back goes through both branches. What does `where` send to the branch that was not taken? And "
        "what is the derivative of log at 0?",
        "0 times infinity is nan. A mask after log comes too late: no infinity may arise on the way.",
        "Put a harmless number where x is 0, *before* the log, and keep the mask after it: "
        "`torch.where(x > 0, x, torch.ones_like(x))`.",
    ),
    mistakes=tuple(mistake),
)
