"""`slices`: the Jacobian slice by slice, shaded by what each contributes, and the sum as it builds up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from minigrad.tensor import Tensor
from minigrad_course.explorers.weights import numbers
from minigrad_course.pictures import canvas, jacobians
from minigrad_course.pictures.shown import Shown

MOST = 36  # slices, and entries in each of them


def slices(
    program: Callable[..., Tensor],
    x: ArrayLike,
    v: ArrayLike | None = None,
    names: Sequence[str] = ("y", "x"),
    guess: bool = False,
) -> Slices:
    """The Jacobian of `program` at `x`, slice by slice: one slice, of x's shape, for each entry of the result.

    `v` weighs the slices, one weight for each entry of the result; without it all count once. The numbers are hidden
    until the reader asks for them. With `guess` the reader fills a slice in, and sees which numbers are wrong.
    """
    J, into = jacobians.jacobian_of(program, x)
    outputs = J.ndim - len(into)
    if max(math.prod(into), J.size // max(math.prod(into), 1)) > MOST:
        raise ValueError(
            f"The result has the shape {list(J.shape[:outputs])} and {names[1]} the shape {list(into)}: "
            f"the explorer shows at most {MOST} entries of each."
        )
    return Slices(J, outputs, np.ones(J.shape[:outputs]) if v is None else v, names, guess)


class Slices(Shown):
    """The slices of a Jacobian with their weights."""

    view = "slices"

    def __init__(self, J: np.ndarray, outputs: int, v: ArrayLike, names: Sequence[str], guess: bool = False):
        self.result, self.into = J.shape[:outputs], J.shape[outputs:]
        self.weights = jacobians.weights_for(v, self.result)
        self.names, self.guess = tuple(names), guess
        self.slices = [jacobians.flat(np.asarray(J[index], float)) for index in np.ndindex(*self.result)]
        self.titles = jacobians.labels(names[0], self.result)

    @property
    def total(self) -> np.ndarray:
        """The weighted sum of all slices, as a matrix."""
        return sum(w * item for w, item in zip(self.weights, self.slices, strict=True))

    def data(self) -> dict[str, object]:
        return {
            "slices": [
                {"name": name, "weight": weight, "entries": numbers(item)}
                for name, weight, item in zip(self.titles, numbers(self.weights), self.slices, strict=True)
            ],
            "total": f"{self.names[1]}.grad",
            "input": self.names[1],
            "places": jacobians.labels("", self.into),
            "across": min(self.result[-1] if self.result else 1, 6),
            "guess": self.guess,
        }

    def words(self) -> str:
        y, x = self.names
        shapes = canvas.shape_text(self.result), canvas.shape_text(self.into)
        total = canvas.said(self.total.reshape(self.into))
        count, (of, to) = len(self.slices), shapes
        text = f"The Jacobian of {y}, shape {of}, with respect to {x}, shape {to}: {count} slices"
        if self.guess:
            return f"{text} of shape {shapes[1]}, to be filled in."
        return (
            f"{text}. Weighted with {canvas.said(self.weights.reshape(self.result))} they add up to {x}.grad = {total}."
        )

    def still(self) -> str:
        v = None if self.guess else self.weights
        return jacobians.panels_of(
            self.slices, self.titles, v, self.result, self.names[1], self.words(), hidden=self.guess
        )
