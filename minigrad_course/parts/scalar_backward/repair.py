"""The part `repair`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("repair")


@mistake(
    "cut",
    "the second backward() does not reach a and b, so the second line repeats the first",
)
def cut(torch: ModuleType, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    torch.tensor((side_a**2 + side_b**2).item(), requires_grad=True).backward()
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "reset but cut",
    "`.grad` is None in the second line: one of two faults is repaired, but backward() still does not reach a and b, "
    "or the reset comes after it",
)
def reset_but_cut(torch: ModuleType, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    side_a.grad = side_b.grad = None
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "no path",
    "there is no path back from the diagonal: the result of `item()`, `torch.tensor(…)` or `detach()` has no "
    "history, so keep `** 0.5` in the graph",
)
def no_path(torch: ModuleType, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    torch.tensor((side_a**2 + side_b**2).item() ** 0.5).backward()


@mistake("zero for None", "you set `.grad` to the number 0: it must be a tensor, or None for no gradient")
def zero_for_none(torch: ModuleType, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    side_a.grad = side_b.grad = 0


def repaired(
    torch: ModuleType, a: float, b: float, reset: Callable[[Tensor, Tensor], list[Tensor]], power: float = 0.5
) -> None:
    """The program with a path to the diagonal; `reset(a, b)` stands between the two halves."""
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    for side in reset(side_a, side_b):
        side.grad = None
    ((side_a**2 + side_b**2) ** power).backward()
    print("diagonal", side_a.grad, side_b.grad)


@mistake(
    "not reset",
    "one of two faults is left: the gradients of the area are still in `.grad` when those of the diagonal are added",
)
def not_reset(torch: ModuleType, a: float, b: float) -> None:
    repaired(torch, a, b, lambda a, b: [])


@mistake("a alone", "you reset only `a.grad`: b still has the gradient of the area")
def a_alone(torch: ModuleType, a: float, b: float) -> None:
    repaired(torch, a, b, lambda a, b: [a])


@mistake("b alone", "you reset only `b.grad`: a still has the gradient of the area")
def b_alone(torch: ModuleType, a: float, b: float) -> None:
    repaired(torch, a, b, lambda a, b: [b])


@mistake("no root", "the root is missing: that is the derivative of a² + b², the square of the diagonal")
def no_root(torch: ModuleType, a: float, b: float) -> None:
    repaired(torch, a, b, lambda a, b: [a, b], power=1.0)


@mistake("by hand", "you put the gradients into `.grad` by hand; backward() must compute them")
def by_hand(torch: ModuleType, a: float, b: float) -> None:
    side_a = torch.tensor(a, requires_grad=True)
    side_b = torch.tensor(b, requires_grad=True)
    (side_a * side_b).backward()
    print("area    ", side_a.grad, side_b.grad)
    diagonal = (side_a**2 + side_b**2) ** 0.5
    print("diagonal", side_a / diagonal, side_b / diagonal)


part = Part(
    Place("repair", "program", "rectangle", passes=2),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "Print `diagonal.grad_fn`. How could you reach a from there?",
        "`item()` gives a Python number, and no gradient can flow through a Python number. `square ** "
        "0.5` is a tensor and stays in the graph.",
        "The second fault is in what `.grad` still holds from the first `backward()`.",
    ),
    mistakes=tuple(mistake),
    probe="""
printed(lambda: rectangle(torch, 3.0, 4.0), ("the area's gradient of a", 1), ("the area's gradient of b", 1),
        ("the diagonal's gradient of a", 1), ("the diagonal's gradient of b", 1))
""",
)
