"""`training`: a slider over the steps of a training, and what the network says of the plane after each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import numpy as np

from minigrad.course.explorers.controls import Stepper
from minigrad.course.explorers.explorer import Explorer, View, screen
from minigrad.course.pictures import regions
from minigrad.course.pictures.curves import plain


def training(
    trained: Callable[[int], Callable], counts: Sequence[int], points: Any, labels: Any, start: int
) -> Training:
    """Look at a classifier of the plane after each of these numbers of steps, beginning with `start` of them.

    `trained(count)` trains anew for so many steps, and gives the classifier: a function of an array [n, 2] with one
    number per row, positive for the class 1, negative for 0. It is called when its turn comes, and once only.
    """
    return Training(trained, list(counts), points, labels, start)


class Training(Explorer):
    """A slider over the number of steps."""

    def __init__(self, trained: Callable[[int], Callable], counts: list[int], points: Any, labels: Any, start: int):
        self.start, self.counts, self.points, self.labels = start, counts, plain(points), plain(labels).reshape(-1)
        self.view = functools.cache(functools.partial(after, trained, self.points, self.labels))

    def still(self) -> View:
        return self.view(self.start)

    def widget(self) -> ipywidgets.Widget:
        slider = Stepper(
            max=len(self.counts) - 1,
            value=self.counts.index(self.start),
            texts=[str(count) for count in self.counts],
            description="Steps",
            tooltip="How many steps the network has been trained for",
            continuous_update=False,  # each place is a training of its own
        )
        shown = screen(self.still())

        def move(change: Any) -> None:
            shown.value = self.view(self.counts[slider.value]).html

        slider.observe(move, "value")
        return ipywidgets.VBox([slider, shown])


def after(trained: Callable[[int], Callable], points: np.ndarray, labels: np.ndarray, count: int) -> View:
    """What the network says after so many steps: the regions, and how many points lie in the wrong one."""
    predict = trained(count)
    wrong = int(np.sum((plain(predict(points)).reshape(-1) > 0) != (labels == 1)))
    steps = "1 step" if count == 1 else f"{count} steps"
    sentence = f"After {steps}, {wrong} of {len(points)} points lie on the wrong side."
    return View(sentence, regions(predict, points, labels, f"The plane divided by the network. {sentence}"))
