"""The part `repair`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("repair")


@mistake(
    "cut",
    "the second backward() does not reach a and b, so the second line repeats the first",
)
def cut(torch: Any, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    torch.tensor((side_a**2 + side_b**2).item(), requires_grad=True).backward()
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "not reset",
    "the gradients of the area are still in `.grad` when those of the diagonal are added",
)
def not_reset(torch: Any, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    ((side_a**2 + side_b**2) ** 0.5).backward()
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "reset but cut",
    "`.grad` is reset, but the second backward() still does not reach a and b",
)
def reset_but_cut(torch: Any, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    side_a.grad = side_b.grad = None
    print("diagonal", side_a.grad, side_b.grad)


part = Part(
    Place("repair", "program", "rectangle"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "Print `diagonal.grad_fn`, and ask how a could be reached from there.",
        "`item()` gives a Python number, and no gradient can flow through a Python number. `square ** "
        "0.5` is a tensor and stays in the graph.",
        "The second fault is in what `.grad` still holds from the first `backward()`.",
    ),
    mistakes=tuple(mistake),
)
