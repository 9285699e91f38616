"""The part `losses`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("losses")


def losses_of(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float]
) -> tuple[Tensor, Tensor, Tensor]:
    """Shared by all versions of the program: a leaf, and the two losses of a prediction from it."""
    w = torch.tensor(weights, requires_grad=True)
    prediction = torch.tensor(features) @ w
    return w, ((prediction - torch.tensor(target)) ** 2).mean(), (prediction**2).sum()


@mistake(
    "untouched",
    "`.grad` still holds what earlier calls have left there, and the importance multiplies both losses",
)
def untouched(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake(
    "not reset",
    "one of two faults is left: the importance is right, but `.grad` still holds what earlier calls have left there",
)
def not_reset(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "reset once",
    "the last line has the gradient of `size` on top of what belongs there: `.grad` was not reset before the last "
    "call, or `size` is added once more",
)
def reset_once(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    w.grad = None
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "reset once, weighs both",
    "you reset `.grad` before `size`, but not before the last call, where the importance multiplies both losses",
)
def reset_once_weighs_both(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    w.grad = None
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake(
    "weighs both",
    "one of two faults is left: the importance multiplies both losses, as the upstream gradient of their sum",
)
def weighs_both(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=True))
    print("size", *torch.autograd.grad(size, w, retain_graph=True))
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake("tuples", "you print the result of `autograd.grad` as it is: a tuple, with one gradient for each input")
def tuples(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", torch.autograd.grad(fit, w, retain_graph=True))
    print("size", torch.autograd.grad(size, w, retain_graph=True))
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "not held",
    "the printed values are right, but `w.grad` does not hold them: `autograd.grad` returns its result and fills no "
    "`.grad`",
)
def not_held(
    torch: ModuleType, features: list[list[float]], target: list[float], weights: list[float], importance: float
) -> Tensor:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=True))
    print("size", *torch.autograd.grad(size, w, retain_graph=True))
    print("both", *torch.autograd.grad(fit + importance * size, w))
    return w


def apart(
    torch: ModuleType,
    features: list[list[float]],
    target: list[float],
    weights: list[float],
    importance: float,
    combined: Callable[[Tensor, Tensor, float], Tensor],
    retain: tuple[bool, bool] = (True, True),
) -> Tensor:
    """The program with `autograd.grad` for the single losses, and a last loss `combined(fit, size, importance)`."""
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=retain[0]))
    print("size", *torch.autograd.grad(size, w, retain_graph=retain[1]))
    combined(fit, size, importance).backward()
    print("both", w.grad)
    return w


def right(fit: Tensor, size: Tensor, importance: float) -> Tensor:
    """The right loss."""
    return fit + importance * size


RETAIN = (
    "the first call frees the graph, but the next one needs what the two losses share: all but the last need "
    "`retain_graph=True`"
)
mistake("not retained", RETAIN)(functools.partial(apart, combined=right, retain=(False, False)))
mistake("retained once", RETAIN)(functools.partial(apart, combined=right, retain=(True, False)))
mistake("weighs the other", "the importance multiplies `fit`; it should multiply `size`")(
    functools.partial(apart, combined=lambda fit, size, importance: importance * fit + size)
)
mistake("not weighed", "the importance is left out of the last call: both losses count alike")(
    functools.partial(apart, combined=lambda fit, size, importance: fit + size)
)
mistake("size alone", "the last call leaves `fit` out: it should be fit + importance · size")(
    functools.partial(apart, combined=lambda fit, size, importance: importance * size)
)

part = Part(
    Place("losses", "program", "two_losses", passes=2),
    points=2,
    minutes=10,
    difficulty=2,
    hints=(
        "The first line is right. What does `w.grad` hold when the second line is printed?",
        "`torch.autograd.grad(fit, w, retain_graph=True)` returns the gradient and leaves `.grad` alone. It "
        "returns a tuple: `(of_fit,) = …`. Or set `w.grad = None` between the calls.",
        "(fit + size).backward(g) multiplies the gradients of both by g. Multiply only `size`: "
        "`(fit + importance * size).backward()`.",
    ),
    mistakes=tuple(mistake),
    probe="""
held = []
printed(
    lambda: held.append(two_losses(torch, [[1.0, 2.0], [3.0, -5.0], [7.0, 4.0]], [10.0, 3.0, 5.0], [2.0, -3.0], 7.0)),
    ("the gradient of `fit`", 2), ("the gradient of `size`", 2), ("the gradient of both", 2),
)
tell(lambda: held[0].grad, "`w.grad` at the end| ")
""",
)
