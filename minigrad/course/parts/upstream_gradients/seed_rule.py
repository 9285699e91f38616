"""The part `seed_rule`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

import minigrad
from minigrad.compat import messages
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("seed_rule")


def demand_one_element(output: Any) -> None:
    """The first half of the rule, as it should be."""
    if output.numel() != 1:
        raise RuntimeError(messages.IMPLICIT_SEED)


def demand_shape(output: Any, gradient: Any, place: int) -> None:
    """The second half of the rule, as it should be."""
    if gradient.shape != output.shape:
        raise RuntimeError(messages.SEED_SHAPE.format(place, gradient.shape, output.shape))


@mistake("ones for all", "a result of several elements gets ones where torch asks you to say what counts")
def ones_for_all(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake("gradient ignored", "the walk always starts with ones, and the gradient that was passed is ignored")
def gradient_ignored(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
    else:
        demand_shape(output, gradient, place)
    return minigrad.ones_like(output)


@mistake("no axes", "only a result of shape [] gets its 1; what counts is one element, whatever the shape")
def no_axes(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        if output.ndim:
            raise RuntimeError(messages.IMPLICIT_SEED)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake("shape not checked", "a gradient of another shape than the result is let through")
def shape_not_checked(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient


@mistake("elements counted", "the number of elements is compared, where the shapes have to be the same")
def elements_counted(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    if gradient.numel() != output.numel():
        demand_shape(output, gradient, place)
    return gradient


@mistake("stretched", "a gradient of another shape is broadcast to that of the result, where torch refuses")
def stretched(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient.expand(output.shape)


@mistake("nothing returned", "the function ends without a `return`: the walk needs a tensor to start with")
def nothing_returned(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
    else:
        demand_shape(output, gradient, place)


@mistake("always 0", "the text of the error always says 0 and not `place`, also for a second result")
def always_the_first(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, 0)
    return gradient


@mistake(
    "a bare 1",
    "the walk starts with a 1 of shape [], and not of the shape of the result: `ones_like` gives it as many axes",
)
def bare_one(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return minigrad.tensor(1.0)
    demand_shape(output, gradient, place)
    return gradient


@mistake(
    "a number",
    "a plain 1 is returned where the walk needs a tensor of the shape of the result: `ones_like` makes it",
)
def plain_number(output: Any, gradient: Any, place: int) -> Any:
    if gradient is None:
        demand_one_element(output)
        return 1
    demand_shape(output, gradient, place)
    return gradient


part = Part(
    Place("seed_rule", "engine", "seed_rule", "minigrad.upstream"),
    points=2,
    minutes=10,
    difficulty=1,
    hints=(
        "Two cases: `gradient` is None, or it is a tensor. Each of them has one condition under which it is an error.",
        "Without a gradient, `output.numel()` has to be 1. With one, `gradient.shape` and `output.shape` "
        "have to be equal.",
        "What you return: `minigrad.ones_like(output)` in the first case, `gradient` itself in the second.",
    ),
    mistakes=tuple(mistake),
)
