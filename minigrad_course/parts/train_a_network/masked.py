"""The part `masked`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import show
from minigrad_course.programs.program import Place

mistake = Mistakes("masked")


def fit_known(
    torch: ModuleType,
    xs: list[float],
    ys: list[float],
    loss_of: Callable[[Tensor, Tensor, Tensor], Tensor],
    cleaned: bool = False,
) -> None:
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


def masked_after(torch: ModuleType, w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The loss with a mask after log, which comes too late."""
    return torch.where(x > 0, (torch.log(w * x) - y) ** 2, torch.zeros_like(x)).sum()


@mistake(
    "masked too late",
    "the logarithm still gets the 0 of a gap, and a mask after it comes too late: it sends 0 back, the derivative of "
    "log is infinite there, and 0 · ∞ = nan spoils the sum over all rows",
)
def masked_too_late(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: masked_after(torch, w, x, y))


@mistake(
    "multiplied",
    "you multiply the errors by the mask: the error of a gap is infinite, and 0 · ∞ = nan already in the forward pass",
)
def multiplied(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: ((x > 0) * (torch.log(w * x) - y) ** 2).sum())


@mistake(
    "gradient cleaned",
    "you drop a nan gradient or set it to 0: the good rows' gradients are lost with it, and w never moves",
)
def gradient_cleaned(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: masked_after(torch, w, x, y), cleaned=True)


@mistake("gaps count", "you fill the gaps with 1, and then they count in the loss as if they were measured")
def gaps_count(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    def loss_of(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return ((torch.log(w * torch.where(x > 0, x, torch.ones_like(x))) - y) ** 2).sum()

    fit_known(torch, xs, ys, loss_of)


def fit_lifted(torch: ModuleType, xs: list[float], ys: list[float], lift: Callable[[Tensor], Tensor]) -> None:
    """The program with something done to the product under the logarithm, and the mask after it."""

    def loss_of(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return torch.where(x > 0, (torch.log(lift(w * x)) - y) ** 2, torch.zeros_like(x)).sum()

    fit_known(torch, xs, ys, loss_of)


for name, explanation, lift in (
    (
        "a little added",
        "you add a small number under the logarithm: 0 does no harm then, but a measurement just as small comes out "
        "wrong",
        lambda product: product + 1e-6,
    ),
    (
        "very little added",
        "you add a very small number under the logarithm: 0 does no harm then, but a still smaller measurement is "
        "wrong",
        lambda product: product + 1e-12,
    ),
    (
        "clamped inside",
        "you lift the product to a small number: a gap does no harm then, but a measurement just as small is lost",
        lambda product: product.clamp(min=1e-6),
    ),
    (
        "clamped at 0",
        "`clamp(min=0)` leaves a 0 under the logarithm. From torch 2.14 on it drops the nan that comes back to a "
        "number at its bound; in 2.13 it lets it through, and it spoils the sum over all rows. The repair has to "
        "hold in each: put a harmless number there",
        lambda product: product.clamp(min=0),
    ),
):
    mistake(name, explanation)(functools.partial(fit_lifted, lift=lift))


for little in (1e-7, 1e-8, 1e-10):
    mistake(
        f"added, {little:g}",
        "you add a small number under the logarithm: a gap does no harm then, but a measurement just as small is wrong",
    )(functools.partial(fit_lifted, lift=functools.partial(operator.add, little)))


LITTLE = "you replace 0 with a small number: a gap does no harm then, but a measurement just as small comes out wrong"


def fit_filled(
    torch: ModuleType,
    xs: list[float],
    ys: list[float],
    fill: Callable[[ModuleType, Tensor], Tensor],
    mean: bool = False,
    cut: bool = False,
) -> None:
    """The program with a given `fill(torch, x)` of the gaps, and the mask after the logarithm."""

    def loss_of(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
        errors = (torch.log((w.detach() if cut else w) * fill(torch, x)) - y) ** 2
        known = torch.where(x > 0, errors, torch.zeros_like(x))
        return known.mean() if mean else known.sum()

    fit_known(torch, xs, ys, loss_of)


def ones_for(torch: ModuleType, x: Tensor, least: float = 0.0) -> Tensor:
    """x, with a 1 where it is not above a number."""
    return torch.where(x > least, x, torch.ones_like(x))


for name, explanation, options in (
    ("a little added to x", LITTLE, {"fill": lambda torch, x: x + 1e-6}),
    ("at least a little", LITTLE, {"fill": lambda torch, x: x.clamp(min=1e-6)}),
    (
        "small ones left out",
        "you treat small measurements as gaps: only a 0 is a gap",
        {"fill": lambda torch, x: ones_for(torch, x, 0.001)},
    ),
    ("at least very little", LITTLE, {"fill": lambda torch, x: x.clamp(min=1e-12)}),
    ("at least next to nothing", LITTLE, {"fill": lambda torch, x: x.clamp(min=1e-38)}),
    ("mean", "the loss is now the mean: keep it the sum", {"fill": ones_for, "mean": True}),
    ("no path", "w is detached, and no path leads from the loss to it", {"fill": ones_for, "cut": True}),
):
    mistake(name, explanation)(functools.partial(fit_filled, **options))


part = Part(
    Place("masked", "program", "fit_known", torches=True),
    points=3,
    minutes=10,
    difficulty=3,
    hints=(
        "The backward pass goes through both branches. What does `where` send to the branch that was not taken? And "
        "what is the derivative of log at 0?",
        "0 times infinity is nan. A mask after log comes too late: the infinity must not arise at all.",
        "Put a harmless number where x is 0, *before* the log, and keep the mask after it: "
        "`torch.where(x > 0, x, torch.ones_like(x))`.",
    ),
    mistakes=tuple(mistake),
    probe="""
steps = [(f"{what} in step {n}", 1) for n in range(1, 5) for what in ("the loss", "w")]
for name, x, y in (
    ("without gaps", 2.0, 0.7),
    ("with a gap", 0.0, 0.7),
    ("with a very small number", 1e-9, -20.0),
    ("with the smallest numbers", 7e-39, -87.6),
):
    told = [(f"{label} {name}", count) for label, count in steps]
    printed(lambda: fit_known(torch, [1.0, x, 0.5], [1.5, y, 0.5]), *told)
""",
)
