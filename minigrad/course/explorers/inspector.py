"""`leaves`: type a program, and see after each line what every tensor says of itself."""

from __future__ import annotations

from typing import Any

import ipywidgets

from minigrad.course.explorers.controls import Stepper
from minigrad.course.explorers.explorer import Code, Explorer, View, button, screen
from minigrad.course.pictures.leaves import State, Table, states


def leaves(text: str) -> Leaves:
    """The leaf inspector, beginning with this program: a few lines of plain torch, run on minigrad."""
    return Leaves(text.strip("\n"))


def view(text: str, state: State) -> View:
    """The program with the line that has just run, and the table of all tensors."""
    table = Table("What every tensor says of itself then", state.rows)
    return View(state.sentence, Code(text, state.line), table)


class Leaves(Explorer):
    """The leaf inspector."""

    def __init__(self, text: str):
        self.text = text

    def still(self) -> View:
        return view(self.text, states(self.text)[-1])

    def widget(self) -> ipywidgets.Widget:
        found = states(self.text)
        area = ipywidgets.Textarea(
            value=self.text,
            description="Program",
            tooltip="Plain torch; it runs when you leave the field or press Run",
            rows=max(6, len(self.text.splitlines()) + 1),
            continuous_update=False,
            layout={"width": "44em", "max_width": "100%"},
        )
        run = button("Run", "Run the program again from its first line", icon="play")
        last = len(found) - 1
        slider = Stepper(max=last, value=last, description="After step", tooltip="How many statements have run")
        shown = screen(view(self.text, found[-1]))

        def look(change: Any) -> None:
            shown.value = view(area.value, found[min(slider.value, len(found) - 1)]).html

        def again(_: Any) -> None:
            found[:] = states(area.value)
            slider.max = len(found) - 1
            slider.value = len(found) - 1
            look(None)

        area.observe(again, "value")
        run.on_click(again)
        slider.observe(look, "value")
        return ipywidgets.VBox([area, ipywidgets.HBox([run, slider]), shown])
