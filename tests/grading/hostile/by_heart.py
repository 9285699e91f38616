"""Answers that decide by the count of their calls: they play back what a right answer decided once, or make it up.

They are our own, in which `decided` is asked wherever they decide. With one that does as is right, each is run once
with the numbers of the notebook, and what it decided is kept. With a list or a coin it is handed in.
"""

from __future__ import annotations

import functools
from typing import Any

import answered
from test_decisions import DECIDED, with_decided

import minigrad
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.programs import program
from minigrad_course.programs.cells import run_cell

# Without the labels of `accuracy`, which are not decided but given; and plain data where a decision is a tensor.
DECIDING = {part: changes for part, changes in DECIDED.items() if part != "accuracy"} | {
    "index": [DECIDED["index"][0].replace(".ravel())\n", ".ravel().tolist())\n")],
    "roots": ["z > 0 -> torch.tensor(decided(lambda: (z > 0).tolist()))"],
    "masked": ["x > 0 -> torch.tensor(decided(lambda: (x > 0).tolist()))"],
    "record": [
        "node.edges = -> flags = [decided(lambda: record.edge(each) is not None) for each in inputs]\n"
        "    sources = [getattr(each, 'grad_fn', None) or each for each in inputs]\n"
        "    node.edges =",
        "(record.edge(each) for each in inputs) -> (source if flag else None for source, flag in zip(sources, flags))",
    ],
}
RIGHT = "tape = []\ndef decided(right):\n    tape.append(right())\n    return tape[-1]\n"


def written(part: str, decided: str) -> str:
    """The answer to a part, below the text that defines how it decides."""
    return f"{decided}\n{answered.written(part, [with_decided(each) for each in DECIDING[part]])}"


def namespace_of(part: str, cell: str) -> tuple[dict[str, Any], program.Answers]:
    """What the cells of a chapter that come before an answer and this cell define, and what they hand over."""
    answers = program.Answers()
    namespace: dict[str, Any] = {"__name__": "__main__", "part": answers.part}
    ours = answered.cells_of(parts.chapter_of(part).name)
    for text in [*(each.source for each in ours if each.role == "setup"), cell]:
        run_cell(text, namespace)
    return namespace, answers


@functools.cache
def tape(part: str, seed: int = verdicts.SEED) -> tuple[Any, ...]:
    """What the right answer decides in the check of a part, one call after another; with the notebook's numbers."""
    namespace, answers = namespace_of(part, written(part, RIGHT))
    places = parts.chapter_of(part).places(part)
    run = program.run_with(answered.check_of(part), minigrad, seed, places, answers)
    assert run.problem is None, run.problem
    return tuple(namespace["tape"])


CHOICES = "tape = [each for i, each in enumerate(tape) if each not in tape[:i]]\n"
COUNTER = "import itertools\nturn = itertools.count()\n"
NEXT = "def decided(right): return tape[next(turn) % len(tape)]\n"
COIN = "import random\ncoin = random.Random({})\ndef decided(right): return coin.choice(tape)\n"

WAYS = {
    "played back": COUNTER + NEXT,
    "played back, then the last": COUNTER + "def decided(right): return tape[min(next(turn), len(tape) - 1)]\n",
    "played back from the other end": COUNTER + "tape = tape[::-1]\n" + NEXT,
    "one after the other": CHOICES + COUNTER + NEXT,
    "every third is another": CHOICES
    + COUNTER
    + "def decided(right): return tape[next(turn) % 3 == 2 and len(tape) > 1]\n",
    "always the first": CHOICES + "def decided(right): return tape[0]\n",
    "always the last": CHOICES + "def decided(right): return tape[-1]\n",
    "always the most frequent": "most = max(tape, key=tape.count)\ndef decided(right): return most\n",
    "a coin": CHOICES + COIN.format("5"),
    "a coin with weights": COIN.format("1"),
}
