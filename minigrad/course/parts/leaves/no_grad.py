"""The part `no_grad`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("no_grad")


class SwitchesOff(leaf.Block):
    """What most of the wrong versions of no_grad share: the beginning."""

    before = True

    def __enter__(self) -> None:
        self.before = leaf.recording
        leaf.recording = False


@mistake(
    "switches on",
    "the end of a block switches recording on, whatever it was before: an inner block ends the outer one",
)
class SwitchesOn(SwitchesOff):
    def __exit__(self, *error: Any) -> None:
        leaf.recording = True


@mistake("never ends", "recording stays off after the block")
class NeverEnds(SwitchesOff):
    def __exit__(self, *error: Any) -> None:
        pass


@mistake("swallows errors", "`__exit__` returns something true, and Python drops the error that ended the block")
class SwallowsErrors(SwitchesOff):
    def __exit__(self, *error: Any) -> bool:
        leaf.recording = self.before
        return True


@mistake("forgets after an error", "recording comes back only after a block without an error")
class ForgetsAfterAnError(SwitchesOff):
    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            leaf.recording = self.before


@mistake(
    "another variable",
    "nothing is switched off: `recording = False` makes a variable of your own; the engine looks at `leaf.recording`",
)
class AnotherVariable(leaf.Block):
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


part = Part(
    Place("no_grad", "engine", "no_grad", "minigrad.leaf"),
    points=2,
    minutes=7,
    difficulty=2,
    hints=(
        "`leaf.recording = False` switches it off. But what was it before?",
        "Keep the old state on `self` in `__enter__`, and put it back in `__exit__`.",
        "`__exit__` puts back `self.before`, with or without an error, and returns nothing.",
    ),
    mistakes=tuple(mistake),
    twins=("minigrad.runtime.grad_mode:set_grad_enabled.__exit__", "minigrad.runtime.grad_mode:enable_grad.__exit__"),
)
