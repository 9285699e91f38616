"""`mistakes`: a switch that puts a known mistake into one part, and the training with it beside the right one."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

import minigrad
from minigrad.nn import Module
from minigrad_course.explorers.learning import Ground, Plot, Program, Watched, draw_plane, short
from minigrad_course.parts import Mistake, Part, chapter_of
from minigrad_course.pictures import svg
from minigrad_course.pictures.shown import MEASURED, Shown
from minigrad_course.programs.problems import named
from minigrad_course.programs.program import attached

SIDE, CELLS = 240, 24  # pixels of a plane, and cells of its grid
LONGEST = 96  # characters of an error
ACROSS, GAP, HEAD = 3, 26, 76  # of the still picture: planes in a row, and pixels around each
FOUND = {True: "The gradient check notices nothing.", False: "The gradient check finds it."}


def mistakes(
    program: Program,
    points: ArrayLike,
    labels: ArrayLike,
    choices: Sequence[str],
    check: Callable[[Module], bool],
    last: int = 300,
    every: int = 25,
) -> Mistakes:
    """Train on minigrad, and once more for each choice, "part/name", with that mistake in its part.

    `program`, `points` and `labels`: as for `training`. `check(model)`: whether the gradients of a new model are right.
    ValueError for a mistake that nobody knows.
    """
    ground, steps = Ground(points, labels, CELLS, SIDE), range(0, last + 1, every)
    right = Watched(program, ground, steps)
    right.train()
    return Mistakes(right, [Spoilt(*known(choice), Watched(program, ground, steps), check) for choice in choices])


def known(choice: str) -> tuple[Part, Mistake]:
    """A mistake by its name, and its part. ValueError if there is none."""
    name, _, mistake = choice.partition("/")
    chapter = chapter_of(name)
    for part in chapter.parts if chapter else ():
        for item in part.mistakes:
            if (part.name, item.name) == (name, mistake):
                return part, item
    raise ValueError(f"No mistake is called {choice!r}.")


class Spoilt:
    """A training with a mistake in one part, as far as it goes."""

    def __init__(self, part: Part, mistake: Mistake, run: Watched, check: Callable[[Module], bool]):
        self.name = f"{part.name}: {mistake.name}"
        self.explanation = mistake.explanation
        self.run, self.end, self.found = run, "", ""
        answers = {part.name: mistake.answer}
        with attached(minigrad, [part.place], answers), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run.train()
                self.found = FOUND[check(run.program(minigrad)[0])]
            except Exception as error:  # a mistake may end it in any way
                reason = textwrap.shorten(named(error), LONGEST, placeholder=" …")
                self.end = f"At step {len(run.losses)} it stopped with {reason.rstrip('.')}."

    def told(self, number: int) -> str:
        """A step in words."""
        step = self.run.steps[number]
        if step >= len(self.run.losses):
            return self.end
        return f"With the mistake the loss is {short(self.run.losses[step])}, and {self.run.misses(number)} are wrong."

    @property
    def sentence(self) -> str:
        """How it ends, in words."""
        return self.end or f"After {self.run.steps[-1]} steps {self.run.misses(-1)} are wrong. {self.found}"


class Mistakes(Shown):
    """The right training, and those with a mistake."""

    view = "mistakes"

    def __init__(self, right: Watched, spoilt: list[Spoilt]):
        self.right, self.spoilt = right, spoilt

    def data(self) -> dict[str, object]:
        right = self.right
        return {
            **right.ground.data(),
            "names": [f"{step} of {right.steps[-1]}" for step in right.steps],
            "right": [{**right.ground.frame(scores), "say": self.told(n)} for n, scores in enumerate(right.scores)],
            # A training that runs away takes another way on each kind of processor.
            MEASURED: {"choices": [self.choice(item) for item in self.spoilt]},
        }

    def choice(self, spoilt: Spoilt) -> dict[str, object]:
        """A training with a mistake, as JSON."""
        ground, steps = self.right.ground, self.right.steps
        return {
            "name": spoilt.name,
            "explanation": f"Here {spoilt.explanation}. {spoilt.found}".rstrip(),
            "plot": self.plot(spoilt).data(steps),
            "frames": [ground.frame(scores) for scores in spoilt.run.scores],
            "say": [spoilt.told(number) for number in range(len(steps))],
        }

    def plot(self, spoilt: Spoilt) -> Plot:
        """Both curves of the loss."""
        return Plot("loss", {"right": self.right.losses, "with the mistake": spoilt.run.losses}, log=True)

    def told(self, number: int) -> str:
        """A step of the right training in words."""
        step = self.right.steps[number]
        loss = short(self.right.losses[step])
        return f"After {step} steps the right engine's loss is {loss}, and {self.right.misses(number)} are wrong."

    def words(self) -> str:
        ends = [f"- {item.name}: {item.explanation}. {item.sentence}" for item in self.spoilt]
        told = f"The same training with a mistake in one part. Without one: {self.told(len(self.right.steps) - 1)}"
        return "\n".join([told, *ends])

    def still(self) -> str:
        """The plane at the end of each training."""
        ends = [("right", self.right.misses(-1), self.right.scores[-1])]
        ends += [(item.name, item.sentence, item.run.scores[-1]) for item in self.spoilt]
        rows = -(-len(ends) // ACROSS)
        sheet = svg.Sheet(ACROSS * (SIDE + GAP), rows * (SIDE + HEAD), self.words())
        for number, (name, sentence, scores) in enumerate(ends):
            with sheet.moved(number % ACROSS * (SIDE + GAP), number // ACROSS * (SIDE + HEAD)):
                sheet.text(0, 14, name, 13, text_anchor="start", font_weight=600)
                for line, text in enumerate(textwrap.wrap(sentence, 40, max_lines=2, placeholder=" …")):
                    sheet.text(0, 32 + 16 * line, text, 12, "soft", text_anchor="start")
                with sheet.moved(0, 56):
                    draw_plane(sheet, self.right.ground, scores)
        return str(sheet)
