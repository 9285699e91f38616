"""`upstream`: a slider for each entry of v, and what vᵀJ becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import numpy as np

from minigrad.course.explorers.controls import Slider
from minigrad.course.explorers.explorer import Explorer, View, screen
from minigrad.course.pictures import canvas, jacobians

MOST = 12  # sliders


def upstream(program: Callable, x: Any, v: Any, names: Sequence[str] = ("y", "x")) -> Upstream:
    """Weigh the rows of the Jacobian of `program` at `x`, beginning with the weights `v`. Their sum is x.grad."""
    J, into = jacobians.jacobian_of(program, x)
    return Upstream(J, J.ndim - len(into), v, names)


class Upstream(Explorer):
    """Sliders for v beside a Jacobian whose rows they light."""

    def __init__(self, J: np.ndarray, outputs: int, v: Any, names: Sequence[str]):
        self.J, self.outputs, self.names = J, outputs, names
        self.shape = J.shape[:outputs]
        self.v = jacobians.weights_for(v, self.shape)
        if self.v.size > MOST:
            raise ValueError(f"The result has {self.v.size} entries, and there are sliders for {MOST} at most.")

    def view(self, v: Any) -> View:
        """The weighted Jacobian and the sum as a sentence, for any v."""
        weights = np.reshape(np.asarray(v, float), self.shape)
        picture = jacobians.heat_map(self.J, self.outputs, weights, self.names)
        return View(weighted_sum(self.J, weights, self.names[1]), picture)

    def still(self) -> View:
        return self.view(self.v)

    def widget(self) -> ipywidgets.Widget:
        reach = max(10.0, float(np.abs(self.v).max()))
        step = 1.0 if np.all(self.v % 1 == 0) else 0.1
        sliders = [
            Slider(
                min=-reach,
                max=reach,
                value=float(value),
                step=step,
                description=f"v{canvas.shape_text(index) if self.shape else ''}",
                tooltip=f"The weight of row {canvas.shape_text(index)} of the Jacobian",
            )
            for index, value in zip(np.ndindex(*self.shape), self.v, strict=True)
        ]
        shown = screen(self.still())

        def move(change: Any) -> None:
            shown.value = self.view([slider.value for slider in sliders]).html

        for slider in sliders:
            slider.observe(move, "value")
        return ipywidgets.VBox([*sliders, shown])


def weighted_sum(J: np.ndarray, v: np.ndarray, name: str = "x") -> str:
    """The sum of the weighted rows, written out."""
    terms = [f"{factor(float(v[index]))}·{canvas.numbers(J[index])}" for index in np.ndindex(*v.shape)]
    total = np.tensordot(v, J, axes=v.ndim)
    return f"{name}.grad = {' + '.join(terms)} = {canvas.numbers(total)}"


def factor(value: float) -> str:
    """A weight as it stands in a sum."""
    return f"({canvas.number(value)})" if value < 0 else canvas.number(value)
