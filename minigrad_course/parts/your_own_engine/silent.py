"""The part `silent`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("silent")
Start = Sequence[list[Any]]
Rows = list[list[float]]


def show(*tensors: Tensor) -> None:
    """As in the notebook: the numbers in one line, with four decimals."""
    print(*[f"{number:.4f}" for tensor in tensors for number in tensor.detach().flatten().tolist()])


def fit_curve(
    torch: ModuleType, xs: Rows, ys: Rows, start: Start, scaled: Callable[[Tensor, Tensor], Tensor], recorded: bool
) -> None:
    """The program with a given way to divide by the size; `recorded`: the size is computed outside of no_grad."""
    x, y = torch.tensor(xs), torch.tensor(ys)
    leaves = [torch.tensor(each, requires_grad=True) for each in start]
    into, shift, middle, out = leaves
    for count in range(12):
        h = torch.tanh(x @ into + shift)
        size = (h * h).mean() ** 0.5
        h = scaled(h, size if recorded else size.detach())
        error = torch.tanh(h @ middle) @ out - y
        loss = (error * error).mean()
        loss.backward()
        with torch.no_grad():
            for each in leaves:
                if each.grad is not None:
                    each -= 0.1 * each.grad
                    each.grad = None
        if count % 3 == 2:
            show(loss)
    show(*leaves)


@mistake(
    "cut",
    "some of the leaves never get a gradient: print which ones, after the first `backward()`",
)
def cut(torch: ModuleType, xs: Rows, ys: Rows, start: Start) -> None:
    fit_curve(torch, xs, ys, start, lambda h, size: (h / size).detach(), recorded=False)


@mistake(
    "not a constant",
    "the size is recorded as well: it should count as a constant, so only the division leaves the block",
)
def not_a_constant(torch: ModuleType, xs: Rows, ys: Rows, start: Start) -> None:
    fit_curve(torch, xs, ys, start, lambda h, size: h / size, recorded=True)


@mistake("not scaled", "nothing is divided any more: the model is another one")
def not_scaled(torch: ModuleType, xs: Rows, ys: Rows, start: Start) -> None:
    fit_curve(torch, xs, ys, start, lambda h, size: h, recorded=False)


part = Part(
    Place("silent", "program", "fit_curve"),
    points=4,
    minutes=20,
    difficulty=3,
    hints=(
        "Print, after the first `backward()`, which of the leaves have a gradient. Or run `minigrad explain` on it.",
        "`into` and `shift` have none. Follow the path from the loss back to them, printing `requires_grad`.",
        "What is computed within `no_grad` has no node. The size may be; the division has to be outside.",
    ),
    mistakes=tuple(mistake),
    probe="""
losses = [(f"the loss at line {n}", 1) for n in range(1, 5)]
start = [[[0.5, -0.3, 0.2], [0.1, 0.4, -0.6]], [0.1, -0.2, 0.3], [[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, 0.3]]]
start.append([[1.0], [-2.0], [0.5]])
printed(
    lambda: fit_curve(torch, [[1.0, 2.0], [0.5, -1.0], [0.2, 0.3]], [[7.0], [5.0], [-9.0]], start),
    *losses, ("`into` at the end", 6), ("`shift` at the end", 3), ("`middle` at the end", 9), ("`out` at the end", 3),
)
""",
)
