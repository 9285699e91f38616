"""Answers that look like copies of each other, for the instructor to look at: a hint, not a verdict.

Two short answers to the same question are often alike. So names, comments and layout are taken away, short answers
and those that many students wrote are left out, and so is whatever looks like our own solution or our engine: that is a
separate list. A class may have any size: only the shape of each answer is kept, and comparisons are limited.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from minigrad.course import source
from minigrad.course.parts import chapter_named
from minigrad.grading.record import Record
from minigrad.grading.shape import definitions, shape, steps

COMMON = 0.05  # an answer that more than this share of the class wrote belongs to nobody
LEAST_COMMON = 3
LIKENESS = 0.92
MOST_COMPARED = 3_000  # different answers to one part that are compared with each other
MOST_PAIRS = 200


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two students with near-identical answers to a part. `likeness` is 1 where only names and layout differ."""

    exercise: str
    part: str
    one: str
    other: str
    likeness: float


@dataclasses.dataclass(frozen=True)
class Same:
    """A student whose answers to these parts have the same shape as ours, in the solution or the engine."""

    student: str
    exercise: str
    parts: tuple[str, ...]


@dataclasses.dataclass
class Answers:
    """The shapes of all answers of a class. `whole` gives the record of a place with all its texts."""

    whole: Callable[[str], Record | None]
    places: list[str] = dataclasses.field(default_factory=list)
    students: list[str] = dataclasses.field(default_factory=list)
    # for each exercise and part: shape -> who wrote it, as places in the lists; a shape of one's own takes little room
    written: dict[tuple[str, str], dict[int, int | list[int]]] = dataclasses.field(default_factory=dict)
    same: dict[tuple[str, str], tuple[str, ...]] = dataclasses.field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Take in a record."""
        if not record.exercise or not record.shapes:
            return
        number = len(self.places)
        self.places.append(record.place)
        self.students.append(record.student)
        ours, stubs = own_shapes("solutions", record.exercise), own_shapes("exercises", record.exercise)
        for part, name in record.shapes.items():
            if name == stubs.get(part):
                continue  # nothing written yet
            shapes = self.written.setdefault((record.exercise, part), {})
            before = shapes.setdefault(int(name, 16), number)
            if isinstance(before, list):
                before.append(number)
            elif before != number:
                shapes[int(name, 16)] = [before, number]
        parts = tuple(
            part for part, name in record.shapes.items() if ours.get(part) == name or is_of_engine(record, part)
        )
        if len(parts) > len(self.same.get((record.student, record.exercise), ())):
            self.same[record.student, record.exercise] = parts

    def same_as_ours(self) -> list[Same]:
        """The students whose answers look like ours, those with the most parts first."""
        found = (Same(student, exercise, parts) for (student, exercise), parts in self.same.items())
        return heapq.nsmallest(MOST_PAIRS, found, key=lambda each: (-len(each.parts), each.student, each.exercise))

    def pairs(self) -> list[Pair]:
        """The pairs of students with near-identical answers, the most alike first."""
        found = itertools.chain.from_iterable(self.alike(*key) for key in self.written)
        return heapq.nsmallest(
            MOST_PAIRS, found, key=lambda pair: (-pair.likeness, pair.exercise, pair.part, pair.one, pair.other)
        )

    def alike(self, exercise: str, part: str) -> Iterator[Pair]:
        """The pairs for one part, of each kind the first few."""
        rows, owners = self.rare(exercise, part)
        for students in owners:
            for one, other in itertools.islice(itertools.combinations(students, 2), MOST_PAIRS):
                yield Pair(exercise, part, one, other, 1.0)
        if len(rows) < 2:
            return
        scores = np.triu(cdist(rows, rows, scorer=Indel.normalized_similarity, score_cutoff=LIKENESS), 1)
        first, second = scores.nonzero()
        best = np.argsort(-scores[first, second], kind="stable")[:MOST_PAIRS]
        for row, column in zip(first[best], second[best], strict=True):
            one, other = sorted((owners[row][0], owners[column][0]))
            if one != other:
                yield Pair(exercise, part, one, other, round(float(scores[row, column]), 2))

    def rare(self, exercise: str, part: str) -> tuple[list[tuple[str, ...]], list[list[str]]]:
        """The answers that few wrote, and who they are; those of several students first, and not too many."""
        groups = [(each if isinstance(each, list) else [each]) for each in self.written[exercise, part].values()]
        common = max(LEAST_COMMON, COMMON * sum(map(len, groups)))
        ours = steps(own_answers("solutions", exercise).get(part, ""))
        rows, owners = [], []
        for group in sorted(groups, key=lambda each: len(each) == 1):
            students = sorted({self.students[number] for number in group})
            record = self.whole(self.places[group[0]]) if len(students) < common else None
            row = steps(record.answers.get(part, "")) if record else ()
            if row and Indel.normalized_similarity(row, ours) < LIKENESS:
                rows.append(row)
                owners.append(students)
            if len(rows) == MOST_COMPARED:
                break
        return rows, owners


def own_answers(kind: str, exercise: str) -> dict[str, str]:
    """The answer cells of our own "solutions" or "exercises", by part."""
    if chapter_named(exercise) is None:
        return {}
    cells = [cell for cell in source.notebook(kind, exercise).cells if "part" in cell.metadata.get("minigrad", {})]
    return {cell.metadata.minigrad.part: cell.source for cell in cells}


def is_of_engine(record: Record, part: str) -> bool:
    """True if something that an answer defines has the same shape as the engine's version of the part."""
    known = engine_shapes(record.exercise or "", part)
    return bool(known) and not known.isdisjoint(inner_shapes(record, part))


def inner_shapes(record: Record, part: str) -> set[str]:
    """The shapes of what an answer defines, ignoring the rest of its cell."""
    return set(map(shape, definitions(record.answers.get(part, ""))))


@functools.cache
def engine_shapes(exercise: str, part: str) -> frozenset[str]:
    """The shapes of the engine's version of a part, unless it is short."""
    chapter = chapter_named(exercise)
    place = next((each.place for each in chapter.parts if each.name == part), None) if chapter else None
    ours = getattr(importlib.import_module(place.module), place.attribute, None) if place else None
    texts = definitions(inspect.getsource(ours)) if inspect.isclass(ours) or inspect.isfunction(ours) else []
    return frozenset(filter(None, map(shape, texts)))


@functools.cache
def own_shapes(kind: str, exercise: str) -> dict[str, str]:
    """The shapes of those answers, where they are not short."""
    return {part: name for part, text in own_answers(kind, exercise).items() if (name := shape(text))}
