"""The part `index`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("index")


@mistake(
    "last one wins",
    "an entry that is indexed twice keeps only its last gradient, and `+=` does not help",
)
def last_one_wins(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.zeros(shape, grad.dtype)
    result[index] = grad
    return result


@mistake("counted", "every entry gets the number of times it was taken, and you forget the upstream gradient")
def counted(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.zeros(shape, grad.dtype)
    np.add.at(result, index, 1)
    return result


@mistake("averaged", "you average the gradients of an entry that is indexed twice; add them")
def averaged_entries(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    total, times = np.zeros(shape, grad.dtype), np.zeros(shape)
    np.add.at(total, index, grad)
    np.add.at(times, index, 1)
    return total / np.maximum(times, 1)


@mistake(
    "not put back",
    "you return the shape of `grad`; the gradient has the shape of the input, with `grad` at the entries that were "
    "taken",
)
def not_put_back(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    return grad


@mistake(
    "gone through",
    "you loop over `index`: it is a tuple with one item per axis, so use it as a whole",
)
def gone_through(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.zeros(shape, grad.dtype)
    for one, share in zip(index, grad, strict=False):
        result[one] += share
    return result


@mistake("nothing returned", "the function has no `return`; `np.add.at` changes its array and returns nothing")
def nothing_returned(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> None:
    pass


@mistake("ones to begin with", "the result starts as ones, which remain in it; an entry that was not taken gets 0")
def ones_to_begin_with(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.ones(shape, grad.dtype)
    np.add.at(result, index, grad)
    return result


@mistake("marked", "you put a 1 where entries were taken and forget the upstream gradient")
def marked(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.zeros(shape, grad.dtype)
    result[index] = 1
    return result


@mistake("whole numbers", "the result holds whole numbers, and the gradients are cut off: take the dtype of `grad`")
def whole_numbers(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.zeros(shape, int)
    np.add.at(result, index, grad.astype(int))
    return result


@mistake("first of the tuple", "you use only the first item of the tuple `index`; it has one per axis")
def first_of_the_tuple(grad: np.ndarray, shape: tuple[int, ...], index: tuple[np.ndarray, ...]) -> np.ndarray:
    result = np.zeros(shape, grad.dtype)
    np.add.at(result, index[0], grad)
    return result


part = Part(
    Place("index", "engine", "put_back", "minigrad.upstream"),
    points=3,
    minutes=10,
    difficulty=2,
    hints=(
        "Start with `result = np.zeros(shape, grad.dtype)`. An entry that was not taken keeps its 0.",
        "`result[index] = grad` is nearly right. Try it with an index that occurs twice. What does it do?",
        "`result[index] += grad` does the same, because numpy reads all entries, adds, and then writes them all. "
        "`np.add.at(result, index, grad)` adds one entry after another.",
    ),
    mistakes=tuple(mistake),
    probe="""
for index, upstream in (
    ([0, 2], [10.0, 20.0]),
    ([2, 0, 2], [10.0, 20.0, 30.0]),
    ([2, 0, 2], [10.0, 20.0, -3.0]),
    ([0, 0], [10.0, 20.0]),
    ([1], [10.0]),
):
    slopes(lambda a: a[index], [1.0, 2.0, 3.0], upstream=upstream)
for index, upstream in (
    ([0, 2, 0], [[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]),
    (([1, 1], [0, 0]), [1.0, 10.0]),
    (([0, 2], [1, 0]), [1.0, 10.0]),
    ((slice(None), [1, 1]), [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]),
    (torch.tensor([True, False, True]), [[1.0, 2.0], [3.0, 4.0]]),
):
    slopes(lambda a: a[index], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], upstream=upstream)
""",
)
