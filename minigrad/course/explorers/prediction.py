"""`predict`: answer first; then see what is true, computed and not written down anywhere."""

from __future__ import annotations

import contextlib
import html
import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from minigrad.course.explorers.explorer import Explorer, Listed, View, button, screen


def predict(question: str, options: Sequence[str], truth: Callable[[], Any]) -> Prediction:
    """Ask a question. The right option is the one that says what `truth()` gives, as text.

    `truth` is called once, as soon as the cell runs, so that the cells below find the same however the reader
    answers; it should leave the lesson's own tensors alone. If it raises, the truth is the name of the error and the
    first sentence of its message. ValueError unless exactly one option is right.
    """
    return Prediction(question, tuple(options), told(truth))


def told(truth: Callable[[], Any]) -> list[str]:
    """What is true, as `str` and as `repr` say it; what is printed on the way is dropped."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = truth()
            return [collapsed(str(value)), collapsed(repr(value))]
    except Exception as error:
        sentence = collapsed(str(error)).split(". ")[0].rstrip(".")
        return [f"{type(error).__name__}: {sentence}" if sentence else type(error).__name__]


def collapsed(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


class Prediction(Explorer):
    """A question, its options, and the one that is right."""

    def __init__(self, question: str, options: tuple[str, ...], truths: list[str]):
        self.question, self.options = question, options
        true = {truth.rstrip(".") for truth in truths}
        right = [number for number, option in enumerate(options) if collapsed(option).rstrip(".") in true]
        if len(right) != 1:
            which = "None of the options says" if not right else "Several options say"
            raise ValueError(f"{question} {which} what is true, which is {truths[0]}")
        self.right = right[0]

    def still(self) -> View:
        return View(self.question, Listed(self.options, code=True))

    def answered(self, number: int) -> View:
        """What is said to the option with this number."""
        chosen, truth = self.options[number], self.options[self.right]
        if number == self.right:
            return View(f"✓ Right: it is {truth}")
        return View(f"✗ You said {chosen}. It is {truth}")

    def widget(self) -> ipywidgets.Widget:
        question = ipywidgets.HTML(f"<p>{html.escape(self.question)}</p>")
        buttons = [button(collapsed(option), f"Answer: {collapsed(option)}") for option in self.options]
        answer = screen()

        def reply(number: int) -> Callable[[Any], None]:
            def press(_: Any) -> None:
                answer.value = self.answered(number).html

            return press

        for number, each in enumerate(buttons):
            each.on_click(reply(number))
        row = ipywidgets.Box(buttons, layout={"flex_flow": "row wrap"})
        return ipywidgets.VBox([question, row, answer])
