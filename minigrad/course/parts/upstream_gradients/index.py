"""The part `index`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("index")


@mistake(
    "last one wins",
    "an entry that is named twice keeps only the last of its gradients; `result[index] += grad` does that, too: it "
    "reads all, adds, and then writes all",
)
def last_one_wins(grad: Any, shape: Any, index: Any) -> Any:
    result = np.zeros(shape, grad.dtype)
    result[index] = grad
    return result


@mistake("counted", "every entry gets the number of times that it was taken, and the upstream gradient is forgotten")
def counted(grad: Any, shape: Any, index: Any) -> Any:
    result = np.zeros(shape, grad.dtype)
    np.add.at(result, index, 1)
    return result


@mistake("averaged", "the gradients of an entry that is named twice are averaged; they have to be added")
def averaged_entries(grad: Any, shape: Any, index: Any) -> Any:
    total, times = np.zeros(shape, grad.dtype), np.zeros(shape)
    np.add.at(total, index, grad)
    np.add.at(times, index, 1)
    return total / np.maximum(times, 1)


@mistake("not put back", "the upstream gradient is returned as it came; the gradient has the shape of the input")
def not_put_back(grad: Any, shape: Any, index: Any) -> Any:
    return grad


@mistake(
    "gone through",
    "`index` is gone through entry by entry: it is a tuple with something for each axis, so use it as a whole",
)
def gone_through(grad: Any, shape: Any, index: Any) -> Any:
    result = np.zeros(shape, grad.dtype)
    for one, share in zip(index, grad, strict=False):
        result[one] += share
    return result


part = Part(
    Place("index", "engine", "put_back", "minigrad.upstream"),
    points=3,
    minutes=10,
    difficulty=2,
    hints=(
        "Begin with `result = np.zeros(shape, grad.dtype)`. An entry that was not taken keeps its 0.",
        "`result[index] = grad` is nearly right. Ask what it does where an index occurs twice, and try it.",
        "`result[index] += grad` does the same, because numpy reads all, adds, and then writes all. "
        "`np.add.at(result, index, grad)` adds one after the other.",
    ),
    mistakes=tuple(mistake),
)
