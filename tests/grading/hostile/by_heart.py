"""Answers that decide by the count of their calls: they play back what a right answer decided once, or make it up.

The answers in `cells/decisions.py` ask `decide` wherever they decide. With a `decide` that does as is right, each is
run once with the numbers of the notebook, and what it decided is kept. With a list or a coin it is handed in.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from answer_files import cells

import minigrad
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.programs import program
from minigrad_course.programs.cells import run_cell
from minigrad_course.texts import source

DECIDING = cells("decisions.py")

FOUND = """
def found(root):
    nodes = {root: None}
    waiting = [root]
    for node in waiting:
        new = dict.fromkeys(each for each in node.edges if each is not None and each not in nodes)
        nodes |= new
        waiting += new
    return waiting
"""
RIGHT = "tape = []\ndef decide(right):\n    tape.append(right())\n    return tape[-1]\n"


def written(part: str, decide: str) -> str:
    """The answer to a part, with the text that defines how it decides."""
    return f"{FOUND}\n{decide}\n{DECIDING[part]}"


@functools.cache
def decided(part: str, seed: int = verdicts.SEED) -> tuple[Any, ...]:
    """What the right answer decides in the check of a part, one call after another; with the notebook's numbers."""
    chapter = parts.chapter_of(part)
    answers = program.Answers()
    namespace: dict[str, Any] = {"__name__": "__main__", "part": answers.part}
    for text in [cell.source for cell in source.read("solutions", chapter.name).cells if cell.role == "setup"]:
        run_cell(text, namespace)
    run_cell(written(part, RIGHT), namespace)
    text = source.read("solutions", chapter.name).programs()[part]
    run = program.run_with(text, minigrad, seed, chapter.places(part), answers)
    assert run.problem is None, run.problem
    return tuple(namespace["tape"])


CHOICES = "tape = [each for i, each in enumerate(tape) if each not in tape[:i]]\n"
COUNTER = "import itertools\nturn = itertools.count()\n"
NEXT = "def decide(right): return tape[next(turn) % len(tape)]\n"
COIN = "import random\ncoin = random.Random({})\ndef decide(right): return coin.choice(tape)\n"

WAYS = {
    "played back": COUNTER + NEXT,
    "played back, then the last": COUNTER + "def decide(right): return tape[min(next(turn), len(tape) - 1)]\n",
    "played back from the other end": COUNTER + "tape = tape[::-1]\n" + NEXT,
    "one after the other": CHOICES + COUNTER + NEXT,
    "every third is another": CHOICES
    + COUNTER
    + "def decide(right): return tape[next(turn) % 3 == 2 and len(tape) > 1]\n",
    "always the first": CHOICES + "def decide(right): return tape[0]\n",
    "always the last": CHOICES + "def decide(right): return tape[-1]\n",
    "always the most frequent": "most = max(tape, key=tape.count)\ndef decide(right): return most\n",
    "a coin": CHOICES + COIN.format("5"),
    "a coin with weights": COIN.format("1"),
}


@dataclasses.dataclass(frozen=True)
class ByHeart:
    """A way to answer a part without a look at the arguments; what the right answer decides is found when needed."""

    part: str
    way: str

    @property
    def answer(self) -> str:
        return written(self.part, f"tape = {list(decided(self.part))!r}\n{WAYS[self.way]}")


BY_HEART = {f"{part}: {way}": ByHeart(part, way) for part in DECIDING for way in WAYS}
