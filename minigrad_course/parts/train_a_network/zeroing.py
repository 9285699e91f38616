"""The part `zeroing`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update, weights
from minigrad_course.programs.program import Place

mistake = Mistakes("zeroing")


@mistake("never", "nothing clears `.grad` in the loop: each step follows the sum of all gradients so far")
def never_zeroed(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        loss.backward()
        optimizer.step()
        show(loss, w)


SLOWER = "you take smaller steps, but nothing clears `.grad`: each step still follows the sum of all gradients so far"


def slower(rate: float) -> Callable[[ModuleType, list[float], list[float]], None]:
    """The program as it is given, with another learning rate."""

    def fit_line(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
        x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
        optimizer = sgd(torch, [w], rate)
        for _ in range(8):
            loss = squared(w * x, y)
            loss.backward()
            optimizer.step()
            show(loss, w)

    return fit_line


for rate in (0.02, 0.01, 0.005, 0.001):
    mistake(f"smaller steps, {rate}", SLOWER)(slower(rate))


@mistake(
    "too late",
    "the step has nothing to do: you clear `.grad` between backward() and step(), or the loss has no path to the "
    "w that the optimizer has",
)
def zeroed_before_the_step(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        show(loss, w)


@mistake("None has no zero_", "you call `w.grad.zero_()` before the first backward(), when `.grad` is still None")
def zeroed_while_none(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    loss = squared(w * x, y)
    w.grad.zero_()
    loss.backward()


@mistake("zero for None", "you set `.grad` to the number 0: it must be a tensor, or None for no gradient")
def zero_for_none(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    w: Any = weights(torch, 1)
    w.grad = 0


@mistake("shown too early", "you show loss and w before the step; leave them where they were, after it")
def shown_too_early(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        show(loss, w)
        update(optimizer, loss)


part = Part(
    Place("zeroing", "program", "fit_line"),
    points=1,
    minutes=4,
    difficulty=1,
    hints=(
        "What is in `w.grad` after the second backward()?",
        "A leaf adds what arrives to what it has. What clears it, and when?",
        "`optimizer.zero_grad()` belongs before `loss.backward()`, in each round of the loop.",
    ),
    mistakes=tuple(mistake),
    probe="""
steps = [(f"the loss in step {n}", 1) if what else (f"w after step {n}", 1) for n in range(1, 9) for what in (1, 0)]
printed(lambda: fit_line(torch, [1.0, 2.0, -1.0], [1000.0, 3000.0, 500.0]), *steps)
""",
)
