"""Whose each part of the engine is, and how often it runs: counted where the engine calls it, never written down."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import minigrad
from minigrad import parts
from minigrad.passing import fastpath
from minigrad_course.checks import myparts
from minigrad_course.parts import Chapter, Part, chapters
from minigrad_course.pictures.leaves import Table


@dataclasses.dataclass(frozen=True)
class Spot:
    """A part in its place: what is called when it runs is `name` of `owner`."""

    part: str
    chapter: int
    yours: bool
    owner: Any  # a module or a class
    name: str

    @property
    def label(self) -> str:
        """What runs, as `matmul.backward` or `walk`."""
        return f"{self.part}.backward" if self.name == "backward" else self.part

    @property
    def whose(self) -> str:
        return "yours" if self.yours else "ours"


def spots() -> list[Spot]:
    """Every part of the engine, by chapter. Of two in one place it is the later, unless only the first is yours."""
    results: dict[tuple[str, str, str], Spot] = {}
    for chapter in chapters():
        for part in myparts.engine_parts(chapter):
            place = part.place
            key = place.kind, place.module, place.attribute
            if key not in results or part.name in myparts.using or not results[key].yours:
                results[key] = spot(chapter, part)
    return sorted(results.values(), key=lambda item: item.chapter)


def spot(chapter: Chapter, part: Part) -> Spot:
    """A part in its place."""
    place = part.place
    module = sys.modules[place.module]
    owner: object = module
    name = place.attribute
    if place.node is not None:
        owner, name = (vars(module)[name] if place.kind == "engine" else operation(name, place.node)), "backward"
    elif hasattr(vars(module)[name], "__enter__"):
        owner, name = vars(module)[name], "__enter__"
    return Spot(part.name, chapter.number, part.name in myparts.using, owner, name)


def operation(name: str, node: str) -> object:
    """The class that is registered as an operation, yours or ours."""
    answer = myparts.using.get(name)
    if answer is not None:
        return answer
    getattr(minigrad, name)  # ours is loaded when it is asked for
    return next(item for item in fastpath.operations() if item.node.__name__ == node and "minigrad." in item.__module__)


@contextlib.contextmanager
def counting() -> Iterator[Counter[str]]:
    """Count in the block how often each part runs. The fast path, which goes around some of them, is off."""
    with parts.count({item.part: (item.owner, item.name) for item in spots()}) as calls:
        yield calls


def calls(actions: Mapping[str, Callable[[], object]]) -> Table:
    """How often each part runs in some actions: a row for each part, a column for each action."""
    rows = spots()
    counts = []
    for action in actions.values():
        with counting() as counted:
            action()
        counts.append(counted)
    yours = sum(row.yours for row in rows)
    caption = f"How often each part runs; {yours} of {len(rows)} are yours."
    cells = [(str(row.chapter), row.label, row.whose, *[f"{one[row.part]:,}" for one in counts]) for row in rows]
    return Table(caption, cells, ("chapter", "part", "whose", *actions), "How often each part runs", heading=1)
