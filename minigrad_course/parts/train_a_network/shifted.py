"""The part `shifted`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update
from minigrad_course.programs.program import Place

mistake = Mistakes("shifted")


def fit_growth(torch: ModuleType, xs: list[float], ys: list[float], shifted: Callable[[Tensor], Tensor]) -> None:
    """The program with a given way to add 1."""
    x, y = torch.tensor(xs), torch.tensor(ys)
    w, b = [torch.tensor(item, requires_grad=True) for item in (0.5, 2.0)]
    optimizer = sgd(torch, [w, b], 0.002)
    for _ in range(4):
        loss = squared(b * shifted(torch.exp(w * x)), y)
        show(loss)
        update(optimizer, loss)
    show(w, b)


def plus_one_through_data(h: Tensor) -> Tensor:
    """Change the memory behind autograd's back."""
    h.data += 1
    return h


@mistake(
    "in place",
    "exp has saved its own result for the backward pass, and you overwrite it; even under no_grad that is counted",
)
def in_place(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    fit_growth(torch, xs, ys, lambda h: h.add_(1))


@mistake(
    "through data",
    "`.data` hides the change from the version counter: there is no error, and exp uses `exp(w*x) + 1` as its "
    "derivative",
)
def through_data(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    fit_growth(torch, xs, ys, plus_one_through_data)


@mistake("detached", "exp or w is detached: the error is gone, and so is the path to w")
def shifted_but_cut(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    fit_growth(torch, xs, ys, lambda h: h.detach() + 1)


def plain(
    torch: ModuleType, xs: list[float], ys: list[float], model: Callable[[ModuleType, Tensor, Tensor, Tensor], Tensor]
) -> None:
    """The program with a given `model(torch, w, b, x)`."""
    x, y = torch.tensor(xs), torch.tensor(ys)
    w, b = [torch.tensor(item, requires_grad=True) for item in (0.5, 2.0)]
    optimizer = sgd(torch, [w, b], 0.002)
    for _ in range(4):
        loss = squared(model(torch, w, b, x), y)
        show(loss)
        update(optimizer, loss)
    show(w, b)


for name, explanation, model in (
    (
        "not added",
        "you do not add the 1: `h + 1` alone makes a new tensor that nobody keeps, so write `h = h + 1`",
        lambda torch, w, b, x: b * torch.exp(w * x),
    ),
    (
        "inside exp",
        "you add the 1 inside exp: the model is b (exp(wx) + 1)",
        lambda torch, w, b, x: b * torch.exp(w * x + 1),
    ),
    (
        "after b",
        "you add the 1 to the product: the model is b (exp(wx) + 1)",
        lambda torch, w, b, x: b * torch.exp(w * x) + 1,
    ),
):
    mistake(name, explanation)(functools.partial(plain, model=model))


part = Part(
    Place("shifted", "program", "fit_growth"),
    points=2,
    minutes=7,
    difficulty=2,
    hints=(
        "Which of the operations needs its own result for its derivative? The message names it.",
        "The derivative of `exp(u)` is `exp(u)` again: exp keeps its result. The sum and the difference keep "
        "nothing, and the product with b saves `h` after the change.",
        "Do not overwrite it: `h = h + 1` makes a new tensor.",
    ),
    mistakes=tuple(mistake),
    probe="""
losses = [(f"the loss in step {n}", 1) for n in range(1, 5)]
printed(lambda: fit_growth(torch, [1.0, 2.0, 0.5], [7.0, 5.0, 9.0]), *losses, ("w and b at the end", 2))
""",
)
