"""The part `roots`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("roots")


def rooted(torch: Any, values: Any, scale: float, v: Any, root: Any, clean: bool = False) -> None:
    """The program with a root of its own."""
    s = torch.tensor(scale, requires_grad=True)
    y = root(torch.tensor(values) * s)
    y.backward(torch.tensor(v))
    grad = torch.where(s.grad == s.grad, s.grad, 0) if clean else s.grad
    print(y.detach(), grad)


@mistake(
    "nan",
    "`where` or `clamp` throws a root of 0 or less away only after it was taken: 0 goes back to it, and 0 · inf is nan",
)
def nan(torch: Any, values: Any, scale: float, v: Any) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z**0.5, 0))


@mistake("cleaned up", "the nan is replaced in `.grad`: the right shares were in that sum, and are lost with it")
def cleaned_up(torch: Any, values: Any, scale: float, v: Any) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z**0.5, 0), clean=True)


@mistake("inner only", "the root is safe now, but what stands in for bad numbers still reaches y")
def inner_only(torch: Any, values: Any, scale: float, v: Any) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z, 1) ** 0.5)


@mistake("cut", "`detach()` cuts the way back to the scale along with the nan")
def cut(torch: Any, values: Any, scale: float, v: Any) -> None:
    s = torch.tensor(scale, requires_grad=True)
    z = torch.tensor(values) * s
    y = torch.where(z > 0, z.detach() ** 0.5, 0)
    print(y, s.grad)


part = Part(
    Place("roots", "program", "roots"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "`where` sends 0 back to the branch that was not taken, and the root multiplies it by inf or nan. So "
        "the number before the root has to be harmless.",
        "Use `where` twice: before the root put a harmless number in place of the bad ones, after it a 0.",
        "`inside = torch.where(z > 0, z, 1)`",
    ),
    mistakes=tuple(mistake),
)
