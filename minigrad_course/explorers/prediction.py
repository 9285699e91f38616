"""`predict`: answer first. What is true is computed, and nothing of it is seen before a choice.

A wrong choice explains why it is wrong, not which one is right. Choices are stored in the output, so they are saved
with the notebook; a cell that runs again finds them there.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping

from minigrad_course.pictures import svg
from minigrad_course.pictures.shown import Shown
from minigrad_course.texts.tries import tries_before

WIDTH, LINE = 640, 22  # pixels of the still picture
BOLD = 1.2  # how much wider a bold line is, at most


def predict(question: str, choices: Mapping[str, str], truth: Callable[[], object], name: str = "") -> Prediction:
    """Ask a question. `choices`: each possible answer -> the sentence shown for it.

    The right choice is the one that says what `truth()` gives, as text; marks of code and white space do not count.
    `truth` is called once, as soon as the cell runs; it should leave the lesson's own tensors alone. If it raises, the
    truth is the name of the error and the first sentence of its message. ValueError unless exactly one choice is right.

    name: under which a choice is found again when the cell has run once more; without one, it is made of the texts.
    """
    told = said_by(truth)
    true = {bare(text) for text in told}
    right = [number for number, choice in enumerate(choices) if bare(choice) in true]
    if len(right) != 1:
        which = "None of the choices says" if not right else "Several choices say"
        raise ValueError(f"{question} {which} what is true, which is {told[0]}")
    return Prediction(name or digest([question, *choices]), question, dict(choices), right[0])


def said_by(truth: Callable[[], object]) -> list[str]:
    """The true answer, as `str` and as `repr`; other output is dropped."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = truth()
            return [str(value), repr(value)]
    except Exception as error:
        sentence = " ".join(str(error).split()).split(". ")[0]
        return [f"{type(error).__name__}: {sentence}" if sentence else type(error).__name__]


def bare(text: str) -> str:
    """A text for comparing: without white space, marks of code, and a full stop."""
    return "".join(text.replace("`", "").split()).rstrip(".")


def digest(texts: list[str]) -> str:
    """A short name for texts."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


class Prediction(Shown):
    """A question, its choices with their sentences, and the number of the right one."""

    view = "predict"

    def __init__(self, name: str, question: str, choices: dict[str, str], right: int):
        self.name, self.question, self.choices, self.right = name, question, choices, right

    def data(self) -> dict[str, object]:
        choices = [{"text": text, "say": say} for text, say in self.choices.items()]
        data = {"id": self.name, "question": self.question, "choices": choices, "right": self.right}
        tried = [text for text in tries_before(self.name) if text in self.choices]
        return {**data, "tried": tried} if tried else data

    def words(self) -> str:
        return plain(f"Your prediction: {self.question} Choices: {'; '.join(self.choices)}.")

    def still(self) -> str:
        sheet = svg.Sheet(WIDTH, 0, self.words())
        across, y = WIDTH - 20, 24
        for line in wrapped(plain(self.question), across / BOLD, 15):
            sheet.text(4, y, line, 15, text_anchor="start", font_weight=600)
            y += LINE
        for choice in self.choices:
            y += 12
            sheet.add("circle", cx=13, cy=y - 5, r=6, fill="none", stroke="line")
            for line in wrapped(plain(choice), across - 26, 14):
                sheet.text(30, y, line, 14, text_anchor="start")
                y += LINE
        sheet.height = y
        return str(sheet)


def plain(text: str) -> str:
    """A text without its marks of code."""
    return text.replace("`", "")


def wrapped(text: str, width: float, size: float) -> Iterator[str]:
    """The text in lines that are at most so many pixels wide."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and svg.width_of(longer, size) > width:
            yield line
            longer = word
        line = longer
    yield line
