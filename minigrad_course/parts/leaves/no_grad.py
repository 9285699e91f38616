"""The part `no_grad`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import ClassVar

from minigrad import leaf
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("no_grad")


class SwitchesOff(leaf.Block):
    """Shared by most wrong versions of no_grad: the beginning."""

    before = True

    def __enter__(self) -> None:
        self.before = leaf.recording
        leaf.recording = False


@mistake(
    "switches on",
    "the end of a block switches recording on, whatever it was before: an inner block also ends the outer one",
)
class SwitchesOn(SwitchesOff):
    def __exit__(self, *error: object) -> None:
        leaf.recording = True


@mistake(
    "counts blocks",
    "the end of the last block switches recording on, even where `set_grad_enabled(False)` had switched it off before: "
    "restore what was there",
)
class CountsBlocks(leaf.Block):
    depth: ClassVar[int] = 0

    def __enter__(self) -> None:
        CountsBlocks.depth += 1
        leaf.recording = False

    def __exit__(self, *error: object) -> None:
        CountsBlocks.depth -= 1
        leaf.recording = not CountsBlocks.depth


@mistake(
    "never ends",
    "recording stays off after the block: `__exit__` must restore what was there before `__enter__` changed it",
)
class NeverEnds(SwitchesOff):
    def __exit__(self, *error: object) -> None:
        pass


@mistake("swallows errors", "`__exit__` returns something true, so Python drops the error that ended the block")
class SwallowsErrors(SwitchesOff):
    def __exit__(self, *error: object) -> bool:
        leaf.recording = self.before
        return True


@mistake("forgets after an error", "you restore recording only after a block without an error")
class ForgetsAfterAnError(SwitchesOff):
    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            leaf.recording = self.before


@mistake(
    "another variable",
    "you switch nothing off: `recording = False` makes a variable of your own; the engine reads `leaf.recording`",
)
class AnotherVariable(leaf.Block):
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


@mistake(
    "kept on the class",
    "you keep the old state in one place for all blocks, where an inner block overwrites it; keep it on `self`",
)
class KeptOnTheClass(leaf.Block):
    before: ClassVar = [True]

    def __enter__(self) -> None:
        self.before[0] = leaf.recording
        leaf.recording = False

    def __exit__(self, *error: object) -> None:
        leaf.recording = self.before[0]


@mistake("switched on", "the block switches recording on: `leaf.recording` must be False inside it")
class SwitchedOn(SwitchesOff):
    def __enter__(self) -> None:
        self.before = leaf.recording
        leaf.recording = True

    def __exit__(self, *error: object) -> None:
        leaf.recording = self.before


@mistake("upside down", "the end of the block restores the opposite of what was there before")
class UpsideDown(SwitchesOff):
    def __exit__(self, *error: object) -> None:
        leaf.recording = not self.before


@mistake("turned over", "you toggle recording instead of switching it off: an inner block switches it on again")
class TurnedOver(leaf.Block):
    def __enter__(self) -> None:
        leaf.recording = not leaf.recording

    def __exit__(self, *error: object) -> None:
        leaf.recording = not leaf.recording


@mistake("a local name", "a local name in `__enter__` is gone when the method ends: keep the old state on `self`")
class LocalName(SwitchesOff):
    def __exit__(self, *error: object) -> None:
        raise NameError("name 'before' is not defined")


part = Part(
    Place("no_grad", "engine", "no_grad", "minigrad.leaf"),
    points=2,
    minutes=7,
    difficulty=2,
    hints=(
        "`leaf.recording = False` switches it off. But what was it before?",
        "Keep the old state on `self` in `__enter__`, and restore it in `__exit__`.",
        "`__exit__` restores `self.before`, with or without an error, and returns nothing.",
    ),
    mistakes=tuple(mistake),
    probe="""
def flags(depth):
    tell(lambda: torch.leaf.recording)
    if depth:
        with torch.leaf.no_grad():
            flags(depth - 1)
    tell(lambda: torch.leaf.recording)

def fails(error, depth):
    with torch.leaf.no_grad():
        if depth:
            fails(error, depth - 1)
        raise error("inside")

before = torch.leaf.recording
for attempt in (lambda: flags(1), lambda: flags(3), lambda: fails(ValueError, 0), lambda: fails(KeyError, 1)):
    tell(attempt)
    tell(lambda: torch.leaf.recording)
    torch.leaf.recording = before
torch.leaf.recording = False
flags(1)
torch.leaf.recording = before
tell(lambda: torch.leaf.no_grad()(lambda: torch.leaf.recording)())
tell(lambda: torch.leaf.recording)
""",
)
