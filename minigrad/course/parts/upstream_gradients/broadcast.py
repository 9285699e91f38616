"""The part `broadcast`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("broadcast")


def copied_axes(grad: Any, shape: Any) -> tuple[list[int], list[int]]:
    """The axes that broadcasting added in front, and those that it stretched from size 1."""
    new = grad.ndim - len(shape)
    return [*range(new)], [new + axis for axis, size in enumerate(shape) if size == 1]


@mistake("not summed", "the gradient keeps the shape of the result; it must have the shape of the operand")
def not_summed(grad: Any, shape: Any) -> Any:
    return grad


@mistake("one of the copies", "only the first of the copies counts; their gradients have to be added")
def first_copy(grad: Any, shape: Any) -> Any:
    added, stretched_axes = copied_axes(grad, shape)
    return grad[
        tuple(slice(0, 1) if axis in added + stretched_axes else slice(None) for axis in range(grad.ndim))
    ].reshape(shape)


@mistake("averaged", "the gradients of the copies are averaged; they have to be added")
def averaged_copies(grad: Any, shape: Any) -> Any:
    added, stretched_axes = copied_axes(grad, shape)
    return grad.mean(axis=(*added, *stretched_axes), keepdims=True).reshape(shape)


@mistake("axes of size 1 lost", "the sum drops the axes of size 1, which the operand has: `keepdims` keeps them")
def axes_lost(grad: Any, shape: Any) -> Any:
    added, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=(*added, *stretched_axes))


@mistake("new axes only", "the axes added in front are summed, and those stretched from size 1 are forgotten")
def new_axes_only(grad: Any, shape: Any) -> Any:
    added, _ = copied_axes(grad, shape)
    return grad.sum(axis=tuple(added))


@mistake("stretched axes only", "the axes stretched from size 1 are summed, and those added in front are not")
def stretched_axes_only(grad: Any, shape: Any) -> Any:
    _, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=tuple(stretched_axes), keepdims=True)


@mistake(
    "stretched first",
    "axes are counted by `shape` while `grad` still has more in front: sum those away first, and then the numbers fit",
)
def stretched_first(grad: Any, shape: Any) -> Any:
    for axis, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))


@mistake(
    "last axes",
    "as many axes as there are too many are summed at the end; broadcasting adds them in front",
)
def last_axes(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=-1)
    _, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=tuple(stretched_axes), keepdims=True)


@mistake("first axis only", "the sum is always over the first axis; which axes were copied depends on `shape`")
def first_axis_only(grad: Any, shape: Any) -> Any:
    return grad.sum(axis=0)


@mistake(
    "last axis only",
    "of the axes that `shape` has, only the last is summed if it was stretched; any of them may have been",
)
def last_axis_only(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return grad.sum(axis=-1, keepdims=True) if shape and shape[-1] == 1 else grad


@mistake(
    "one axis only",
    "the sum stops after one stretched axis, and there may be several: go through all of `shape`",
)
def one_axis_only(grad: Any, shape: Any) -> Any:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return grad.sum(axis=shape.index(1), keepdims=True) if 1 in shape else grad


part = Part(
    Place("broadcast", "engine", "sum_to_shape", "minigrad.upstream"),
    points=3,
    minutes=15,
    difficulty=2,
    hints=(
        "Broadcasting copies in two ways: it adds axes in front, and it stretches axes of size 1. Undo each "
        "of them with a sum.",
        "First the axes in front: as long as `grad.ndim > len(shape)`, take `grad = grad.sum(axis=0)`.",
        "Then `grad` has as many axes as `shape`. For each axis where `shape` says 1, take "
        "`grad.sum(axis=axis, keepdims=True)`: the axis stays, with size 1.",
    ),
    mistakes=tuple(mistake),
)
