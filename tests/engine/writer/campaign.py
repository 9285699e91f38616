"""A campaign: many random programs of one topic, the same on both engines, and none of the scope left out.

hypothesis writes ten programs at a time, each time from another seed: after ten it begins to vary those it has, and
a program that differs in one number from the one before finds little.
"""

import contextlib
import os
import random
import re
import types
from collections import Counter

import torch
from engines import ENGINES, assert_alike, said
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import minigrad
from minigrad.passing import fastpath
from minigrad_course.programs.compare import alike
from writer import graphs, shapes, training, values
from writer.sheet import NAMES, Sheet, Unstable

PROGRAMS = int(os.environ.get("MINIGRAD_EXAMPLES", "400"))  # of all topics together
TOPICS = (values, shapes, graphs, training)
TOGETHER = 10
LONGEST = 24  # statements in a program, each with its prints
ONCE = [  # torch says these once per process: out of the way before the first program
    "x = torch.ones(1, requires_grad=True)",
    "(x * x).backward(create_graph=True)",
    "torch.ones(3).T",
    "float(x)",
    "torch.tensor(1.0).T, torch.tensor(1.0).mT",
]


class Program:
    """The lines, and which operations they use; shown as its text."""

    def __init__(self, sheet: Sheet):
        self.lines, self.used = sheet.lines, sheet.used

    def __repr__(self) -> str:
        return "\n" + "\n".join(self.lines) + "\n"


def weighted(topic: types.ModuleType) -> list:
    """The statements of all topics; those of one topic six times as often, training in its own programs only."""
    return [
        statement
        for each in TOPICS
        for statement, weight in each.STATEMENTS.items()
        for _ in range(weight * (6 if each is topic else 1 if each is not training else 0))
    ]


# All that hypothesis draws for a program: 32 coins. Where it draws numbers, it mixes in those that stand in the source
# of the modules that happen to be loaded: then a change anywhere, or another test before this one, gave other programs.
COINS = st.lists(st.booleans(), min_size=32, max_size=32)


@st.composite
def programs(draw: st.DrawFn, topic: types.ModuleType) -> Program:
    """Two tensors, some statements, and a last backward."""
    sheet = Sheet(random.Random(sum([coin << place for place, coin in enumerate(draw(COINS))])))
    statements = weighted(topic)
    with contextlib.suppress(Unstable):
        for _ in range(2):
            values.create(sheet)
        for _ in range(LONGEST):
            if not sheet.usable:
                sheet.assign("torch.tensor([1.0, 2.0], requires_grad=True)", "tensor", True)
            if sheet.chance(20):
                break
            sheet.one_of(statements)(sheet)
        if sheet.usable:
            graphs.backward(sheet)
    return Program(sheet)


# The sign of a zero hangs on the order in which zeros were added: -0. counts as 0. here.
NEGATIVE_ZERO = re.compile(r"-0(?=\.(0000)?(e\+00)?[\s,\])])")


def text(lines: list[str], engine: types.ModuleType) -> str:
    """What a program says on an engine."""
    return NEGATIVE_ZERO.sub("0", said(lines, engine, NAMES))


def differs(lines: list[str]) -> bool:
    """True if the engines do not say the same."""
    return not alike(text(lines, minigrad), text(lines, torch))


def shortened(lines: list[str]) -> list[str]:
    """The program without the lines that the difference does not need. Never a line whose name others read.

    Lines are left out, not written anew, as hypothesis would: that takes a second instead of minutes, and what is
    left are lines that torch has run before.
    """
    end = next(count for count in range(1, len(lines) + 1) if differs(lines[:count]))
    kept = lines[:end]
    for place in range(end - 2, -1, -1):
        fewer = kept[:place] + kept[place + 1 :]
        drawn = "manual_seed" in kept[place]  # without it the engines draw other numbers
        if not drawn and differs(fewer) and "NameError" not in said(fewer, torch, NAMES):
            kept = fewer
    return kept


def run(topic: types.ModuleType) -> Counter:
    """Run this topic's share of the programs. AssertionError where the engines differ, or the scope is not covered.

    Afterwards minigrad says them all again without its fast path, which is switched once for all: each operation would
    have its functions generated anew.
    """
    used: Counter = Counter()
    theirs: dict[tuple[str, ...], str] = {}
    for engine in ENGINES:
        said(ONCE, engine)

    @settings(
        max_examples=TOGETHER,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(topic))
    def both_say_the_same(program: Program) -> None:
        lines = tuple(program.lines)
        theirs[lines] = text(program.lines, torch)
        if not alike(text(program.lines, minigrad), theirs[lines]):
            assert_alike(shortened(program.lines), NAMES)
        used.update(program.used)

    rounds = -(-PROGRAMS // len(TOPICS) // TOGETHER)
    for number in range(rounds):
        seed(number)(both_say_the_same)()
    with fastpath.off():
        for lines, wanted in theirs.items():
            if not alike(text([*lines], minigrad), wanted):
                assert_alike(shortened([*lines]), NAMES)
    demand_coverage(topic, used, rounds * TOGETHER)
    return used


def demand_coverage(topic: types.ModuleType, used: Counter, count: int) -> None:
    """AssertionError unless every operation of a topic occurred once in 500 programs, with and without gradients.

    300 of a topic hold each of them, too; so many run in `make test`.
    """
    least = max(1, count // 500)
    rare = [f"{name} with gradients" for name in topic.WITH_GRADIENT if used[name, "grad"] < least]
    rare += [f"{name} without" for name in topic.WITHOUT if used[name, "plain"] < least]
    assert not rare or count < 300, f"hardly any program has: {', '.join(rare)}"
