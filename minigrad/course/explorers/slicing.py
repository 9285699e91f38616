"""`slices`: choose an entry of the result, see its slice of the Jacobian, and try to write that slice yourself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import numpy as np

from minigrad.course.explorers.explorer import Explorer, View, button, screen
from minigrad.course.pictures import canvas, jacobians

MOST = 36  # slices, and number fields for one of them


def slices(program: Callable, x: Any, names: Sequence[str] = ("y", "x")) -> Slices:
    """The Jacobian of `program` at `x`, slice by slice: one slice, of x's shape, for each entry of the result."""
    J, into = jacobians.jacobian_of(program, x)
    if max(math.prod(into), J.size // max(math.prod(into), 1)) > MOST:
        raise ValueError(
            f"The result has the shape {list(J.shape[: J.ndim - len(into)])} and {names[1]} the shape {list(into)}: "
            f"the explorer shows at most {MOST} entries of each."
        )
    return Slices(J, J.ndim - len(into), names)


def wrong_cells(guess: Any, J: Any) -> list[tuple[int, ...]]:
    """The indices at which a guess differs from the Jacobian, or from a slice of it. ValueError for another shape."""
    guessed, wanted = np.asarray(guess, float), np.asarray(J, float)
    if guessed.shape != wanted.shape:
        raise ValueError(
            f"Your numbers have the shape {list(guessed.shape)}; the shape {list(wanted.shape)} is needed."
        )
    return [tuple(map(int, index)) for index in np.argwhere(~np.isclose(guessed, wanted, rtol=1e-3, atol=1e-3))]


class Slices(Explorer):
    """The Jacobian builder."""

    def __init__(self, J: np.ndarray, outputs: int, names: Sequence[str]):
        self.J, self.outputs, self.names = J, outputs, names
        self.result, self.into = J.shape[:outputs], J.shape[outputs:]

    def still(self) -> View:
        picture = jacobians.slices(self.J, names=self.names, outputs=self.outputs)
        return View(f"Each of the {math.prod(self.result)} entries of {self.names[0]} has a slice.", picture)

    def view(self, chosen: tuple[int, ...], hidden: bool = False) -> View:
        """All slices with one framed, and what that one says; `hidden` keeps the numbers back."""
        picture = jacobians.slices(self.J, names=self.names, outputs=self.outputs, chosen=chosen, hidden=hidden)
        y, x = self.names
        place = f"{y}{canvas.shape_text(chosen) if chosen else ''}"
        count = np.count_nonzero(self.J[chosen])
        of = f"{self.J[chosen].size} entries of {x}"
        if hidden:
            return View(f"On which of the {of} does {place} depend, and how much? Fill in its slice.", picture)
        return View(f"{place} depends on {count} of the {of}: {jacobians.entries(self.J[chosen])}.", picture)

    def judged(self, guess: Any, chosen: tuple[int, ...]) -> View:
        """A guess for one slice, with its wrong cells marked and named."""
        wanted = self.J[chosen]
        wrong = wrong_cells(guess, wanted)
        y, x = self.names
        place = f"{y}{canvas.shape_text(chosen) if chosen else ''}"
        picture = jacobians.marked(guess, wrong, f"Your slice of {place}")
        if not wrong:
            return View(f"✓ Every entry of the slice of {place} is right.", picture)
        first = wrong[0]
        told = (
            f"{place} changes by {canvas.number(wanted[first])} for each step of {x}{canvas.shape_text(first)}, "
            f"and you have {canvas.number(np.asarray(guess, float)[first])}"
        )
        number = "One entry is" if len(wrong) == 1 else f"{len(wrong)} entries are"
        others = "" if len(wrong) == 1 else f" Also wrong: {', '.join(canvas.shape_text(each) for each in wrong[1:])}."
        return View(f"✗ {number} wrong. {told}.{others}", picture)

    def widget(self) -> ipywidgets.Widget:
        options = [(f"{self.names[0]}{canvas.shape_text(index)}", index) for index in np.ndindex(*self.result)]
        # Buttons: in a notebook, arrow keys on a list of options would move to another cell.
        entry = ipywidgets.ToggleButtons(
            options=options,
            description="Entry",
            tooltip="The entry whose slice is framed",
            tooltips=[f"Frame the slice of {label}" for label, _ in options],
            style={"button_width": "auto"},
        )
        numbers = ipywidgets.Checkbox(
            value=True, description="Show the numbers", tooltip="Without them, try to find them yourself", indent=False
        )
        shown = screen(self.view(options[0][1]))
        fields = [
            ipywidgets.FloatText(
                value=0,
                description=canvas.shape_text(index),
                style={"description_width": "4em"},
                tooltip=f"Your entry {canvas.shape_text(index)} of the slice",
                layout={"width": "9em"},
            )
            for index in np.ndindex(*self.into)
        ]
        check = button("Check my slice", "Compare the numbers above with the slice that is framed", icon="check")
        answer = screen()

        def look(change: Any) -> None:
            shown.value = self.view(entry.value, hidden=not numbers.value).html
            answer.value = ""

        def judge(_: Any) -> None:
            answer.value = self.judged(np.reshape([field.value for field in fields], self.into), entry.value).html

        entry.observe(look, "value")
        numbers.observe(look, "value")
        check.on_click(judge)
        wide = self.into[-1] if self.into else 1
        table = ipywidgets.GridBox(fields, layout={"grid_template_columns": f"repeat({wide}, 9.5em)"})
        title = ipywidgets.HTML(f"<b>Your slice</b>, of shape {canvas.shape_text(self.into)}:")
        return ipywidgets.VBox([entry, numbers, shown, title, table, ipywidgets.HBox([check]), answer])
