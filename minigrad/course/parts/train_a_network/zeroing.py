"""The part `zeroing`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import sgd, show, squared, weights
from minigrad.course.program import Place

mistake = Mistakes("zeroing")


@mistake("never", "nothing ever clears `.grad`: each step goes along the sum of all gradients so far")
def never_zeroed(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        loss.backward()
        optimizer.step()
        show(loss, w)


@mistake("too late", "`.grad` is cleared between backward() and step(), so the step finds nothing to do")
def zeroed_before_the_step(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        show(loss, w)


@mistake("None has no zero_", "`w.grad.zero_()` runs before the first backward(), when `.grad` is still None")
def zeroed_while_none(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    loss = squared(w * x, y)
    w.grad.zero_()
    loss.backward()


part = Part(
    Place("zeroing", "program", "fit_line"),
    points=1,
    minutes=4,
    difficulty=1,
    hints=(
        "What is in `w.grad` after the second backward()?",
        "A leaf adds what arrives to what it has. Who clears it, and when?",
        "`optimizer.zero_grad()` belongs before `loss.backward()`, in each round of the loop.",
    ),
    mistakes=tuple(mistake),
)
