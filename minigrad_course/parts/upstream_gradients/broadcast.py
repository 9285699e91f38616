"""The part `broadcast`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("broadcast")


def copied_axes(grad: np.ndarray, shape: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axes that broadcasting added in front, and those that it stretched from size 1."""
    new = grad.ndim - len(shape)
    return [*range(new)], [new + axis for axis, size in enumerate(shape) if size == 1]


def over_axes_of_one(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The sum over each axis that has size 1 in `shape`, one after the other, with the axis kept."""
    for axis, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad


@mistake("not summed", "the gradient keeps the shape of the result; it must have the shape of the operand")
def not_summed(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return grad


@mistake("one of the copies", "only the first of the copies counts; add all their gradients")
def first_copy(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    added, stretched_axes = copied_axes(grad, shape)
    return grad[
        tuple(slice(0, 1) if axis in added + stretched_axes else slice(None) for axis in range(grad.ndim))
    ].reshape(shape)


@mistake("averaged", "you average the gradients of the copies; add them")
def averaged_copies(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    added, stretched_axes = copied_axes(grad, shape)
    return grad.mean(axis=(*added, *stretched_axes), keepdims=True).reshape(shape)


@mistake("axes of size 1 lost", "the sum drops axes of size 1 that the operand has: `keepdims` keeps them")
def axes_lost(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    added, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=(*added, *stretched_axes))


@mistake("new axes only", "you sum the axes added in front and forget those stretched from size 1")
def new_axes_only(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    added, _ = copied_axes(grad, shape)
    return grad.sum(axis=tuple(added))


@mistake("stretched axes only", "you sum the axes stretched from size 1 and forget those added in front")
def stretched_axes_only(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    _, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=tuple(stretched_axes), keepdims=True)


@mistake(
    "stretched first",
    "you number axes by `shape` while `grad` still has more in front: sum those away first, then the numbers match",
)
def stretched_first(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    grad = over_axes_of_one(grad, shape)
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))


@mistake(
    "last axes",
    "you sum the surplus axes at the end; broadcasting adds them in front",
)
def last_axes(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=-1)
    _, stretched_axes = copied_axes(grad, shape)
    return grad.sum(axis=tuple(stretched_axes), keepdims=True)


@mistake("first axis only", "the sum is always over the first axis; which axes were copied depends on `shape`")
def first_axis_only(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return grad.sum(axis=0)


@mistake(
    "last axis only",
    "of the axes that were stretched you sum only the last; any axis may have been stretched",
)
def last_axis_only(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return grad.sum(axis=-1, keepdims=True) if shape and shape[-1] == 1 else grad


@mistake(
    "one axis only",
    "you stop after one stretched axis, but there may be several: go through all of `shape`",
)
def one_axis_only(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return grad.sum(axis=shape.index(1), keepdims=True) if 1 in shape else grad


@mistake(
    "axes of size 1 lost on the way",
    "the sum drops axes of size 1 that the operand has, and the later ones move up: `keepdims` keeps them",
)
def axes_lost_on_the_way(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(axis=axis)
    return grad


@mistake(
    "reshaped",
    "`reshape` only rearranges the numbers, and does not make them more or fewer: add up first, over the copies alone",
)
def reshaped(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return grad.reshape(shape)


@mistake("everything summed", "you sum all of `grad`; sum only the axes with copies")
def everything_summed(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.full(shape, grad.sum())


@mistake("one axis in front", "you remove only one axis in front, but there may be several: use `while`, not `if`")
def one_axis_in_front(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    return over_axes_of_one(grad, shape)


@mistake(
    "by size",
    "you look for the copied axes by their sizes, but two axes may have the same: the axes of `shape` are the last "
    "ones of `grad`, whatever their sizes",
)
def by_size(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return grad.sum(axis=tuple(axis for axis, size in enumerate(grad.shape) if size not in shape)).reshape(shape)


@mistake(
    "axes move up",
    "after a sum over axis 0, axis 1 has become axis 0, and so on: sum over axis 0 each time",
)
def axes_move_up(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    for axis in range(grad.ndim - len(shape)):
        grad = grad.sum(axis=axis)
    return over_axes_of_one(grad, shape)


@mistake(
    "numbered from the front",
    "you number axes by `shape` while `grad` still has more in front: sum those away first, then the numbers match",
)
def numbered_from_the_front(grad: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return grad.sum(axis=tuple(i for i in range(grad.ndim) if i >= len(shape) or shape[i] == 1)).reshape(shape)


part = Part(
    Place("broadcast", "engine", "sum_to_shape", "minigrad.upstream"),
    points=3,
    minutes=15,
    difficulty=2,
    hints=(
        "Broadcasting copies in two ways: it adds axes in front, and it stretches axes of size 1. Undo each "
        "of them with a sum.",
        "First the axes in front: while `grad.ndim > len(shape)`, set `grad = grad.sum(axis=0)`.",
        "Then `grad` has as many axes as `shape`. For each axis where `shape` says 1, take "
        "`grad.sum(axis=axis, keepdims=True)`: the axis stays, with size 1.",
    ),
    mistakes=tuple(mistake),
    probe="""
for size, shapes in (
    ((2, 3), ((2, 3), (3,), (1, 3), (2, 1), (1, 1), (1,), ())),
    ((3, 3), ((3,), (3, 1), (1, 3))),
    ((4, 2, 3), ((3,), (2, 3), (2, 1), (1, 3), (4, 1, 3), (4, 2, 1), (1, 2, 1), ())),
):
    for shape in shapes:
        grad = np.arange(1.0, 1 + np.prod(size)).reshape(size) ** 2
        tell(lambda: torch.upstream.sum_to_shape(grad, shape), f"`sum_to_shape` from {size} to {shape}| ")
""",
)
