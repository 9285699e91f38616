"""The part `losses`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("losses")


def losses_of(torch: Any, features: Any, target: Any, weights: Any) -> tuple:
    """What the versions of the program share: a leaf, and the two losses of a prediction from it."""
    w = torch.tensor(weights, requires_grad=True)
    prediction = torch.tensor(features) @ w
    return w, ((prediction - torch.tensor(target)) ** 2).mean(), (prediction**2).sum()


@mistake(
    "untouched",
    "`.grad` still holds what the calls before have left there, and the importance multiplies both losses",
)
def untouched(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    fit.backward(retain_graph=True)
    print("fit ", w.grad)
    size.backward(retain_graph=True)
    print("size", w.grad)
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake("not reset", "the importance is right, but `.grad` still holds what the calls before have left there")
def not_reset(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
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
    "`.grad` is reset before `size`, but not before the last call, which adds to what `size` left",
)
def reset_once(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
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
    "`.grad` is reset before `size`, but not before the last call; and the importance multiplies both losses there",
)
def reset_once_weighs_both(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
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
    "`.grad` is reset, but the importance multiplies both losses: it is the upstream of their sum",
)
def weighs_both(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=True))
    print("size", *torch.autograd.grad(size, w, retain_graph=True))
    (fit + size).backward(torch.tensor(importance))
    print("both", w.grad)
    return w


@mistake("tuples", "what `autograd.grad` returns is printed as it is: a tuple, with one gradient for each input")
def tuples(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", torch.autograd.grad(fit, w, retain_graph=True))
    print("size", torch.autograd.grad(size, w, retain_graph=True))
    (fit + importance * size).backward()
    print("both", w.grad)
    return w


@mistake(
    "not held",
    "what is printed is right, but `w.grad` does not hold it: `autograd.grad` returns its result and fills no `.grad`",
)
def not_held(torch: Any, features: Any, target: Any, weights: Any, importance: float) -> Any:
    w, fit, size = losses_of(torch, features, target, weights)
    print("fit ", *torch.autograd.grad(fit, w, retain_graph=True))
    print("size", *torch.autograd.grad(size, w, retain_graph=True))
    print("both", *torch.autograd.grad(fit + importance * size, w))
    return w


part = Part(
    Place("losses", "program", "two_losses"),
    points=2,
    minutes=10,
    difficulty=2,
    hints=(
        "The first line is right. What does `w.grad` hold at the moment when the second line is printed?",
        "`torch.autograd.grad(fit, w, retain_graph=True)` returns the gradient and leaves `.grad` alone. It "
        "returns a tuple: `(of_fit,) = …`. Or set `w.grad = None` between the calls.",
        "(fit + size).backward(g) multiplies the gradients of both by g. Only `size` is to be multiplied: "
        "`(fit + importance * size).backward()`.",
    ),
    mistakes=tuple(mistake),
)
