"""`weights`: a slider for each entry of v next to the rows of the Jacobian, and the resulting vᵀJ."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from minigrad.tensor import Tensor
from minigrad_course.pictures import canvas, jacobians
from minigrad_course.pictures.shown import Shown

MOST = 12  # sliders, and columns next to them


@dataclasses.dataclass(frozen=True)
class Goal:
    """A goal: the task, the sentence for reaching it, and the conditions on v and on the sum.

    `v` and `total` say which entries have to be which number; None is "anything but 0".
    """

    ask: str
    found: str
    v: Mapping[int, float | None] = dataclasses.field(default_factory=dict)
    total: Mapping[int, float | None] = dataclasses.field(default_factory=dict)

    def data(self) -> dict[str, object]:
        """As JSON."""
        conditions = [
            {"of": of, "index": index, "is": wanted}
            for of, entries in (("v", self.v), ("total", self.total))
            for index, wanted in entries.items()
        ]
        return {"ask": self.ask, "found": self.found, "conditions": conditions}


ORDINALS = "first", "second", "third", "fourth", "fifth", "sixth"  # rows and entries that goals can be about


def weights(
    program: Callable[..., Tensor],
    x: ArrayLike,
    v: ArrayLike,
    names: Sequence[str] = ("y", "x"),
    pick: int | None = None,
    cancel: int | None = None,
) -> Weights:
    """Weigh the rows of the Jacobian of `program` at `x`, beginning with the weights `v`. Their sum is x.grad.

    The reader is to `pick` a row, by its index, and to make the entry `cancel` of the sum 0 with a v that is not.
    """
    J, into = jacobians.jacobian_of(program, x)
    table = Weights(J, J.ndim - len(into), v, names)
    if pick is not None:
        row = dict(enumerate(map(float, table.J[pick])))
        which = f"picks out the {ORDINALS[pick]} row."
        table.goals.append(Goal(f"Find a v that {which}", f"This v {which}", total=row))
    if cancel is not None:
        entry, gradient = f"{ORDINALS[cancel]} entry", f"{names[1]}.grad"
        table.goals.append(
            Goal(
                f"Find a v whose {entry} is not 0, while the {entry} of {gradient} is 0.",
                f"The {entry} of {gradient} is 0: the rows cancel there.",
                v={cancel: None},
                total={cancel: 0},
            )
        )
    return table


class Weights(Shown):
    """Rows of a Jacobian, each with its weight, and their sum."""

    view = "weights"

    def __init__(self, J: np.ndarray, outputs: int, v: ArrayLike, names: Sequence[str]):
        result, into = J.shape[:outputs], J.shape[outputs:]
        self.v = jacobians.weights_for(v, result)
        self.J = np.asarray(J, float).reshape(self.v.size, -1)
        if max(self.J.shape) > MOST:
            raise ValueError(
                f"The Jacobian has {self.J.shape[0]} rows and {self.J.shape[1]} columns; {MOST} of each can be shown."
            )
        self.rows, self.columns = jacobians.labels(names[0], result), jacobians.labels(names[1], into)
        self.names = tuple(names)
        self.goals: list[Goal] = []

    @property
    def total(self) -> np.ndarray:
        """vᵀJ for the weights at the beginning."""
        return self.v @ self.J

    def data(self) -> dict[str, object]:
        reach = max(10.0, float(np.abs(self.v).max()))
        whole = bool(np.all(self.v % 1 == 0))
        return {
            "J": numbers(self.J),
            "v": numbers(self.v),
            "rows": self.rows,
            "columns": self.columns,
            "total": f"{self.names[1]}.grad",
            "reach": number(reach),
            "step": 1 if whole else 0.1,
            "goals": [goal.data() for goal in self.goals],
        }

    def words(self) -> str:
        terms = [f"{jacobians.entry(weight)}·{canvas.numbers(row)}" for weight, row in zip(self.v, self.J, strict=True)]
        return f"{self.names[1]}.grad = {' + '.join(terms)} = {canvas.numbers(self.total)}"

    def still(self) -> str:
        return jacobians.table(self.J, self.v, self.rows, self.columns, self.names[1], self.words())


def number(value: SupportsFloat) -> int | float:
    """A number for JSON: without float32 noise after the seventh digit, whole numbers without a point."""
    short = float(f"{float(value):.7g}") + 0.0
    return int(short) if short == int(short) else short


def numbers(values: Iterable[Any]) -> list[Any]:
    """An array for JSON."""
    return [numbers(value) if np.ndim(value) else number(value) for value in values]
