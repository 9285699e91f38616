"""What the lessons ask before they tell: questions, choices, and the programs whose results are the answers.

They lie here, and not in the lessons, because a cell is seen before it is run: what is said to a choice would give the
answer away. `ask("product")` in a lesson asks the question of that name.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from minigrad_course.explorers.prediction import Prediction

Truth = TypeVar("Truth", bound=Callable[..., object])
LESSONS = ("scalar_backward", "upstream_gradients", "jacobian_sums", "leaves", "train_a_network", "your_own_engine")


@dataclasses.dataclass(frozen=True)
class Question:
    """A prediction of a lesson. `truth(torch, *given)` computes what is right."""

    name: str
    lesson: str
    text: str
    choices: Mapping[str, str]
    truth: Callable[..., object]


class Lesson(dict[str, Question]):
    """The questions of a lesson, by name, in their order."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name

    def asks(self, question: str, choices: Mapping[str, str]) -> Callable[[Truth], Truth]:
        """Above a program `truth(torch, *given)`: ask `question`; `choices`: answer -> what is said to it.

        The program's name is the question's. What is `given` are things of the lesson that `ask` hands on.
        """

        def note(truth: Truth) -> Truth:
            self[truth.__name__] = Question(truth.__name__, self.name, question, choices, truth)
            return truth

        return note


@functools.cache
def questions() -> dict[str, Question]:
    """Every question of the course by name. ValueError if two have the same."""
    result: dict[str, Question] = {}
    for name in LESSONS:
        lesson = importlib.import_module(f"minigrad_course.predictions.{name}").lesson
        if both := result.keys() & lesson.keys():
            raise ValueError(f"Two questions have the same name: {', '.join(both)}.")
        result |= lesson
    return result


def ask(name: str, *args: object) -> Prediction:
    """The question of that name, to be answered. `given`: what its program needs of the lesson. torch decides.

    ValueError if no question has that name, or if not exactly one of its choices is right.
    """
    question = questions().get(name)
    if question is None:
        raise ValueError(f"No question is called {name!r}. There are {', '.join(questions())}.")
    import torch

    from minigrad_course.explorers import predict  # here, because widgets and pictures take their time to load

    return predict(question.text, question.choices, lambda: question.truth(torch, *args), name)
