"""The part `hypot`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad.tensor import Value
from minigrad_course.parts import Mistakes, Part, Shares
from minigrad_course.programs.program import Place

mistake = Mistakes("hypot")


class SavesHypotenuse(Function):
    """Shared by the wrong versions of hypot : the forward."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        h = (a * a + b * b) ** 0.5
        ctx.save_for_backward(a, b, h)
        return h


ONE = "only one of the two shares contains the upstream gradient; multiply both by it"

for name, explanation, shares in (
    (
        "no upstream",
        "you return the local derivatives alone and forget the upstream gradient",
        lambda grad, a, b, h: (a / h, b / h),
    ),
    ("upstream once", ONE, lambda grad, a, b, h: (grad * a / h, b / h)),
    (
        "inner derivative only",
        "the sides are not divided by h: the derivative of the root is missing",
        lambda grad, a, b, h: (grad * a, grad * b),
    ),
    (
        "twice the sides",
        "you return only 2a and 2b, the derivatives of a² + b²: the root's derivative, 1/(2h), is missing",
        lambda grad, a, b, h: (grad * 2 * a, grad * 2 * b),
    ),
    (
        "half of the chain",
        "1/(2h) is not multiplied by the inner derivatives 2a and 2b",
        lambda grad, a, b, h: (grad / (2 * h), grad / (2 * h)),
    ),
    (
        "halved",
        "both shares are half as large as they should be: the inner derivatives are 2a and 2b, not a and b",
        lambda grad, a, b, h: (grad * a / (2 * h), grad * b / (2 * h)),
    ),
    (
        "doubled",
        "both shares are twice too large: the ½ of the root is missing, d(s^½)/ds is 1/(2h)",
        lambda grad, a, b, h: (grad * 2 * a / h, grad * 2 * b / h),
    ),
    (
        "inverted",
        "the fractions are upside down: no side grows the length by more than it grows itself",
        lambda grad, a, b, h: (grad * h / a, grad * h / b),
    ),
    (
        "multiplied by the length",
        "you multiply the sides by h, and they are divided by it: dh/da is never larger than 1",
        lambda grad, a, b, h: (grad * a * h, grad * b * h),
    ),
    (
        "swapped",
        "the two gradients are swapped: a's comes first",
        lambda grad, a, b, h: (grad * b / h, grad * a / h),
    ),
    (
        "divided by the square",
        "you divide the sides by a² + b², which is the square of h",
        lambda grad, a, b, h: (grad * a / h**2, grad * b / h**2),
    ),
):
    mistake.backward(SavesHypotenuse, name, explanation, shares)


@mistake("no root", "the root is missing: a² + b² is the square of the length, so raise it to the power 0.5")
class HypotSquared(SavesHypotenuse):
    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return a * a + b * b

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        return grad_output * 2 * a, grad_output * 2 * b


@mistake("sides added", "you add the sides before you square them: h² is a² + b², not (a + b)²")
class HypotOfSum(SavesHypotenuse):
    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        h = ((a + b) ** 2) ** 0.5
        ctx.save_for_backward(a, b, h)
        return h

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, h = ctx.saved_tensors
        return grad_output * a / h, grad_output * b / h


@mistake("one side under the root", "only b² is under the root: `**` binds before `+`, so put a² + b² in brackets")
class HypotOfOneSide(SavesHypotenuse):
    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        h = a**2 + (b**2) ** 0.5
        ctx.save_for_backward(a, b, h)
        return h

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, h = ctx.saved_tensors
        return grad_output * a / h, grad_output * b / h


@mistake(
    "power of a power",
    "the powers are worked out from the right: `b**2 ** 0.5` is b to the power √2; put a² + b² in brackets",
)
class HypotOfPowers(SavesHypotenuse):
    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        h = a**2 + b**2**0.5
        ctx.save_for_backward(a, b, h)
        return h

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, h = ctx.saved_tensors
        return grad_output * a / h, grad_output * b / h


part = Part(
    Place("hypot", "operation", "hypot", node="HypotBackward0"),
    points=3,
    minutes=10,
    difficulty=2,
    hints=(
        "Write h = s^½ with s = a² + b², and use the chain rule. `** 0.5` is the root.",
        "dh/da = 1/(2h) · 2a = a/h, and dh/db is the same with b. So save a, b and h itself in forward.",
        "Both local derivatives are multiplied by `grad_output`.",
    ),
    mistakes=tuple(mistake),
    probe="""
slopes(torch.hypot, 3.0, 4.0, upstream=10.0)
slopes(torch.hypot, -5.0, 12.0, upstream=1.0)
slopes(torch.hypot, 8.0, -15.0, upstream=3.0)
""",
)
