"""The part `roots`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("roots")
Root = Callable[[Tensor], Tensor]


def rooted(
    torch: ModuleType,
    values: Sequence[float],
    scale: float,
    v: Sequence[float],
    root: Root,
    clean: bool = False,
) -> None:
    """The program with a given root."""
    s = torch.tensor(scale, requires_grad=True)
    y = root(torch.tensor(values) * s)
    y.backward(torch.tensor(v))
    grad = torch.where(s.grad == s.grad, s.grad, 0) if clean else s.grad
    print(y.detach(), grad)


@mistake(
    "nan",
    "you still take the root of 0 or of a negative number: its derivative is inf or nan, and whatever discards it "
    "sends a 0 against that, which is nan; put a harmless number *before* the root",
)
def nan(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z**0.5, 0))


@mistake(
    "clamped",
    "`clamp(min=0)` hands on what comes back to a number at its bound: at 0 that is an inf in torch 2.13, and 0·inf is "
    "nan. From 2.14 on it drops it. The repair has to hold in each: select with `where`, before the root",
)
def clamped(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: z.clamp(min=0) ** 0.5)


@mistake("cleaned up", "you replace the nan in `.grad`: the right shares were part of that sum, and are lost with it")
def cleaned_up(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z**0.5, 0), clean=True)


@mistake("inner only", "the root is safe now, but the replacements for bad numbers still reach y")
def inner_only(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z, 1) ** 0.5)


@mistake("cut", "`detach()` cuts the path back to the scale along with the nan")
def cut(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    s = torch.tensor(scale, requires_grad=True)
    z = torch.tensor(values) * s
    y = torch.where(z > 0, z.detach() ** 0.5, 0)
    print(y, s.grad)


@mistake(
    "no path",
    "no path leads back to the scale, because of `detach()` or `no_grad`: backward has nothing to walk through",
)
def no_path(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, z, 1).detach() ** 0.5)


@mistake("by its size", "you drop the sign before the root: where s·x is negative, y must be 0, not √|s·x|")
def by_its_size(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: z.abs() ** 0.5)


@mistake("multiplied", "you multiply bad roots by 0, already in the forward pass: nan times 0 is nan")
def multiplied(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: z**0.5 * (z > 0))


@mistake("left out", "you leave the bad entries out of y: keep its shape, with a 0 for each of them")
def left_out(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: z[z > 0] ** 0.5)


@mistake(
    "a little added",
    "you add a small number under the root: no 0 is left there, but the roots of small numbers come out wrong",
)
def a_little_added(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, (z.clamp(min=0) + 1e-6) ** 0.5, 0))


@mistake("added, never thrown away", "you add a small number under the root, so y is not 0 where it must be 0")
def added_only(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: (z.clamp(min=0) + 1e-6) ** 0.5)


@mistake(
    "very little added",
    "you add a very small number under the root, or lift the numbers to one: no 0 is left there, but the roots of even "
    "smaller numbers are wrong",
)
def very_little_added(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, v, lambda z: torch.where(z > 0, (z.clamp(min=0) + 1e-12) ** 0.5, 0))


@mistake("no upstream", "`y.sum().backward()` weights all roots equally: the weights are in `v`")
def no_upstream(torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float]) -> None:
    rooted(torch, values, scale, [1.0 for _ in v], lambda z: torch.where(z > 0, torch.where(z > 0, z, 1) ** 0.5, 0))


ADDED = (
    "you add a small number under the root: a negative number stays negative, with a nan for its derivative; and the "
    "roots of small numbers come out wrong"
)
LIFTED = "you lift the numbers under the root to a small one: the roots of smaller numbers come out wrong"


def changed(
    torch: ModuleType, values: Sequence[float], scale: float, v: Sequence[float], root: Root, kept: bool
) -> None:
    """The program with `root(z)`, kept everywhere or only where z is above 0."""
    rooted(torch, values, scale, v, root if kept else lambda z: torch.where(z > 0, root(z), 0))


for little in (1e-6, 1e-8, 1e-10, 1e-12):
    added: Root = functools.partial(lambda z, little: (z + little) ** 0.5, little=little)
    lifted: Root = functools.partial(lambda z, little: z.clamp(min=little) ** 0.5, little=little)
    mistake(f"added, {little:g}", ADDED)(functools.partial(changed, root=added, kept=False))
    mistake(f"added, {little:g}, kept", ADDED)(functools.partial(changed, root=added, kept=True))
    if little > 1e-12:  # so little is the same as "very little added"
        mistake(f"lifted, {little:g}", LIFTED)(functools.partial(changed, root=lifted, kept=True))


part = Part(
    Place("roots", "program", "roots", torches=True, passes=1),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "`where` sends 0 back to the branch that was not taken, and the root multiplies it by inf or nan. So "
        "the number under the root must be harmless.",
        "Use `where` twice: before the root, replace bad numbers with a harmless one; after it, with 0.",
        "`inside = torch.where(z > 0, z, 1)`",
    ),
    mistakes=tuple(mistake),
    probe="""
for name, values in (
    ("above 0", [1.0, 4.0, 2.0]),
    ("with a 0", [1.0, 0.0, 2.0]),
    ("with a negative one", [1.0, -4.0, 2.0]),
    ("with a very small one", [1.0, 1e-12, 2.0]),
    ("with the smallest one", [1.0, 1e-36, 2.0]),
):
    told = (f"y for numbers {name}", 3), (f"the gradient for numbers {name}", 1)
    printed(lambda: roots(torch, values, 3.0, [5.0, 7.0, 11.0]), *told)
""",
)
