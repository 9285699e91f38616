"""What is wrong with a program? A question above each program to debug, to be answered before its check says more.

`diagnose("zeroing")` in an exercise asks it. No points hang on it: it keeps the check from naming a fault that nobody
has looked for yet. A choice is kept in the notebook, like a prediction of a lesson, and torch decides which is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigrad_course.checks.patience import identity

if TYPE_CHECKING:
    from minigrad_course.explorers.prediction import Prediction


def diagnose(part: str) -> Prediction:
    """The question about a program to debug. ValueError if there is none."""
    from minigrad_course.predictions.hunts import questions

    question = questions.get(part)
    if question is None:
        raise ValueError(f"No program to debug is called {part!r}. There are {', '.join(questions)}.")
    from minigrad_course.checks.reference import imported_torch
    from minigrad_course.explorers import predict  # here, because pictures take their time to load

    torch = imported_torch()
    return predict(question.text, question.choices, lambda: question.truth(torch), identity(part))
