"""The part `seed_rule`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import minigrad
from minigrad.compat import messages
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("seed_rule")


def demand_one_element(output: Tensor) -> None:
    """The first half of the rule, as it should be."""
    if output.numel() != 1:
        raise RuntimeError(messages.IMPLICIT_SEED)


def demand_shape(output: Tensor, gradient: Tensor, place: int) -> None:
    """The second half of the rule, as it should be."""
    if gradient.shape != output.shape:
        raise RuntimeError(messages.SEED_SHAPE.format(place, gradient.shape, output.shape))


def always_right(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    """The whole rule."""
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake("ones for all", "a result with several elements gets ones, where torch requires you to pass a gradient")
def ones_for_all(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake("gradient ignored", "the walk always starts with ones and ignores the gradient that was passed")
def gradient_ignored(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
    else:
        demand_shape(output, gradient, place)
    return minigrad.ones_like(output)


@mistake("no axes", "only a result of shape [] gets its 1; any shape with a single element should")
def no_axes(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        if output.ndim:
            raise RuntimeError(messages.IMPLICIT_SEED)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, place)
    return gradient


@mistake("shape not checked", "you accept a gradient whose shape differs from the result's")
def shape_not_checked(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient


@mistake("elements counted", "you compare the number of elements, but the shapes must be equal")
def elements_counted(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    if gradient.numel() != output.numel():
        demand_shape(output, gradient, place)
    return gradient


@mistake(
    "stretched", "a gradient of another shape is broadcast to the shape of the result, where torch raises an error"
)
def stretched(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient.expand(output.shape)


@mistake(
    "stretched by a product",
    "you multiply the gradient by something of the result's shape, which broadcasts it, where torch raises an error",
)
def stretched_by_a_product(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    return gradient * minigrad.ones_like(output)


@mistake(
    "another error",
    "the error is not a RuntimeError: a program that expects torch's does not catch it",
)
def another_error(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    try:
        return always_right(output, gradient, place)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


@mistake("truth asked", "`if not gradient` tests the numbers in it; `is None` tests whether there is one")
def truth_asked(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    return always_right(output, gradient or None, place)


@mistake("returned, not raised", "you return the error; raise it: `raise RuntimeError(…)`")
def returned_not_raised(output: Tensor, gradient: Tensor | None, place: int) -> Tensor | RuntimeError:
    try:
        return always_right(output, gradient, place)
    except RuntimeError as error:
        return error


@mistake("shapes exchanged", "the two shapes are swapped in the message: the gradient's comes first")
def shapes_exchanged(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None or gradient.shape == output.shape:
        return always_right(output, gradient, place)
    raise RuntimeError(messages.SEED_SHAPE.format(place, output.shape, gradient.shape))


@mistake("times the result", "the gradient is multiplied by the result; the walk starts with the gradient as it is")
def times_the_result(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    result = always_right(output, gradient, place)
    return result if gradient is None else result * output


@mistake("nothing returned", "the function has no `return`: the walk needs a tensor to start with")
def nothing_returned(output: Tensor, gradient: Tensor | None, place: int) -> None:
    if gradient is None:
        demand_one_element(output)
    else:
        demand_shape(output, gradient, place)


@mistake("always 0", "the error message always says 0 instead of `place`, even for a second result")
def always_the_first(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
        return minigrad.ones_like(output)
    demand_shape(output, gradient, 0)
    return gradient


@mistake(
    "a bare 1",
    "the walk starts with a 1 of shape [] instead of the result's shape: `ones_like` gives it the right axes",
)
def bare_one(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    if gradient is None:
        demand_one_element(output)
        return minigrad.tensor(1.0)
    demand_shape(output, gradient, place)
    return gradient


@mistake(
    "a number",
    "you return a plain 1, but the walk needs a tensor of the result's shape: `ones_like` makes one",
)
def plain_number(output: Tensor, gradient: Tensor | None, place: int) -> Tensor | int:
    if gradient is None:
        demand_one_element(output)
        return 1
    demand_shape(output, gradient, place)
    return gradient


@mistake(
    "no axes, always 0",
    "only a result of shape [] gets its 1, and any shape with a single element should; and the error message always "
    "says 0 instead of `place`",
)
def no_axes_always_0(output: Tensor, gradient: Tensor | None, place: int) -> Tensor:
    return no_axes(output, gradient, 0)


part = Part(
    Place("seed_rule", "engine", "seed_rule", "minigrad.upstream"),
    points=2,
    minutes=10,
    difficulty=1,
    hints=(
        "There are two cases: `gradient` is None, or it is a tensor. Each is an error under one condition.",
        "Without a gradient, `output.numel()` must be 1. With one, `gradient.shape` and `output.shape` must be equal.",
        "What you return: `minigrad.ones_like(output)` in the first case, `gradient` itself in the second.",
    ),
    mistakes=tuple(mistake),
    probe="""
y, = leaves([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
one, single = y.sum(), y[:1, :1]
for output in (y, y[0], one, single):
    for gradient in (None, *leaves([[7.0] * 3] * 2, [7.0] * 3, [7.0, 8.0], 7.0, [7.0], [[7.0]])):
        for place in (0, 1) if gradient is not None and gradient.ndim == 1 else (0,):
            shape = "no gradient" if gradient is None else f"a gradient of shape {list(gradient.shape)}"
            told = f"what comes of an output of shape {list(output.shape)} and {shape}, place {place}| "
            tell(lambda: torch.upstream.seed_rule(output, gradient, place), told)
""",
)
