"""Students whose answers look as if one was made from the other, for the instructor to look at: a hint, not a verdict.

Answers to one question are often alike. So names, comments, layout and order are taken away, and then what is given in
the exercise, what stands in our solution or engine, what many wrote, and known mistakes. What two students still share
is added up over all parts: a statement says the more the fewer wrote it.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import importlib
import inspect
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable

from minigrad_course.grading.book.shape import definitions, statements
from minigrad_course.grading.records.alike import Alike, Pair, Ring, Same
from minigrad_course.grading.records.record import PRINTS, Record
from minigrad_course.parts import chapter_named
from minigrad_course.texts import source

LEAST_STEPS = 5  # of a statement: below, everybody writes the same
COMMON, LEAST_COMMON = 1 / 8, 3  # what more of a class wrote says nothing about two of them
MOST_COMMON = 40
HALF = 1 / 2  # what more of a class wrote says nothing about a ring either
SMALL = 200  # in a smaller class a statement says as much as if there were so many
LEAST_BITS, A_DOZEN, PER_DOUBLING = 10.0, 12, 0.8  # more students, more pairs that share something by chance
MOST_OF_PART = 4  # statements of a part that add up: who writes one line of a method writes the others
NEARLY_ALL, MORE_BITS = 0.75, 4.0  # two who share less than that have to share more that is unusual
SHARED = 0.6  # of what the one wrote who wrote less
WHOLE_STEPS = 40  # of what a ring larger than that shares, all of it
OURS, OURS_STEPS = 0.8, 30
MOST_STUDENTS = 5_000  # in an exercise; of a larger class the first ones are compared
MOST_SHOWN = 100

Place = tuple[str, str]  # an exercise and a part of it


@dataclasses.dataclass
class Answers:
    """What the students of a class wrote. `whole` gives the record of a place with all its texts."""

    whole: Callable[[str], Record | None]
    places: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)  # by student and exercise
    # for each part and student the own statements, with their steps
    own: dict[Place, dict[str, dict[int, int]]] = dataclasses.field(default_factory=dict)
    ours: dict[Place, set[str]] = dataclasses.field(default_factory=dict)  # who wrote what stands in our solution
    students: Counter[str] = dataclasses.field(default_factory=Counter)  # by exercise
    left_out: int = 0

    def add(self, record: Record) -> None:
        """Take in a record."""
        exercise = record.exercise
        if not exercise or not record.answers:
            return
        mistaken = {part.part for part in record.parts if part.mistake not in (None, PRINTS)}
        if self.students[exercise] >= MOST_STUDENTS:
            self.left_out += 1
            return
        self.students[exercise] += (record.student, exercise) not in self.places
        self.places[record.student, exercise] = record.place
        for part, text in record.answers.items():
            given, known = given_statements(exercise, part), own_statements(exercise, part)
            results = {name: size for name, size in statements_of(text).items() if name not in given}
            steps = sum(results.values())
            if steps >= OURS_STEPS and sum(results[name] for name in results.keys() & known) >= OURS * steps:
                self.ours.setdefault((exercise, part), set()).add(record.student)
            if part not in mistaken:
                mine = {name: size for name, size in results.items() if size >= LEAST_STEPS and name not in known}
                self.own.setdefault((exercise, part), {})[record.student] = mine

    def same_as_ours(self) -> list[Same]:
        """The students whose longer answers are ours, those with the most parts first; not where many wrote that."""
        results: dict[tuple[str, str], list[str]] = {}
        for (exercise, part), students in self.ours.items():
            if len(students) <= common(self.students[exercise]):
                for student in students:
                    results.setdefault((student, exercise), []).append(part)
        made = [Same(student, exercise, tuple(parts)) for (student, exercise), parts in results.items()]
        return sorted(made, key=lambda item: (-len(item.parts), item.student, item.exercise))[: 2 * MOST_SHOWN]

    def pairs(self) -> list[Pair]:
        """The pairs of students who share more than chance explains, the most surprising first."""
        bits: dict[tuple[str, str], float] = {}
        parts: dict[tuple[str, str], dict[Place, int]] = {}
        for place, written in self.own.items():
            count = len(written)
            for pair, shared in shared_in(written).items():
                least = min(sum(written[student].values()) for student in pair)
                both = written[pair[0]].keys() & written[pair[1]].keys()
                if sum(written[pair[0]][name] for name in both) >= SHARED * least:
                    rarest = heapq.nlargest(MOST_OF_PART, (weight(count, wrote) for wrote in shared.values()))
                    bits[pair] = bits.get(pair, 0.0) + sum(rarest)
                    parts.setdefault(pair, {})[place] = len(shared)
        students = len({student for student, _ in self.places})
        least_bits = LEAST_BITS + PER_DOUBLING * math.log2(max(students / A_DOZEN, 1))
        results = {
            pair: item
            for pair, item in bits.items()
            if item >= least_bits + MORE_BITS or (item >= least_bits and self.overlap(pair) >= NEARLY_ALL)
        }
        for group in self.rings_of_many():
            for pair in itertools.pairwise(group):
                results.setdefault(pair, least_bits)
                parts[pair] = self.everything(pair)
        made = [
            Pair(*pair, tuple(Alike(*place, number) for place, number in sorted(parts[pair].items())), round(item, 1))
            for pair, item in results.items()
        ]
        return sorted(made, key=lambda item: (-item.bits, item.one, item.other))

    def rings_of_many(self) -> Iterable[list[str]]:
        """Students too many for pairs to say something, who share every single statement in every part."""
        alike: dict[frozenset[tuple[Place, int]], list[str]] = {}
        for student, own in self.without_halves().items():
            if sum(own.values()) >= WHOLE_STEPS:
                alike.setdefault(frozenset(own), []).append(student)
        return [sorted(group) for group in alike.values() if len(group) > 1]

    def without_halves(self) -> dict[str, Counter[tuple[Place, int]]]:
        """What each student wrote in all parts, without what half of the class wrote."""
        results: dict[str, Counter[tuple[Place, int]]] = {}
        for place, written in self.own.items():
            wrote = Counter(name for own in written.values() for name in own)
            for student, own in written.items():
                for name, size in own.items():
                    if wrote[name] <= HALF * len(written):
                        results.setdefault(student, Counter())[place, name] = size
        return results

    def overlap(self, pair: tuple[str, str]) -> float:
        """How much of what the one wrote who wrote less the other wrote, too; in all parts."""
        one, other = (
            {(place, name): size for place, own in self.own.items() for name, size in own.get(student, {}).items()}
            for student in pair
        )
        least = min(sum(one.values()), sum(other.values()))
        return sum(one[key] for key in one.keys() & other.keys()) / least if least else 0.0

    def everything(self, pair: tuple[str, str]) -> dict[Place, int]:
        """How much two students share in each part, however many wrote it."""
        both = {place: [written.get(student, {}) for student in pair] for place, written in self.own.items()}
        return {place: shared for place, (one, other) in both.items() if (shared := len(one.keys() & other.keys()))}

    def rings(self) -> list[Ring]:
        """All pairs, and the rings that they make, with the texts; the most surprising first."""
        ring: dict[str, list[str]] = {}
        joins: dict[int, list[Pair]] = {}
        for pair in self.pairs():  # the strongest pairs connect
            one, other = ring.setdefault(pair.one, [pair.one]), ring.setdefault(pair.other, [pair.other])
            if one is not other:
                kept = [*joins.pop(id(one), []), *joins.pop(id(other), []), pair]
                one += other
                ring |= dict.fromkeys(other, one)
                joins[id(one)] = kept
        shown = itertools.islice(
            ((students, joins.get(id(students), [])) for students in unique(ring.values())), MOST_SHOWN
        )
        return [
            Ring(tuple(sorted(students)), tuple(map(self.with_texts, sorted(pairs, key=lambda item: -item.bits))))
            for students, pairs in shown
        ]

    def with_texts(self, pair: Pair) -> Pair:
        """The same pair with what both wrote."""
        records: dict[tuple[str, str], Record | None] = {}

        def text(student: str, alike: Alike) -> str:
            key = student, alike.exercise
            if key not in records:
                records[key] = self.whole(self.places[key])
            record = records[key]
            return record.answers.get(alike.part, "") if record else ""

        parts = (dataclasses.replace(part, texts=(text(pair.one, part), text(pair.other, part))) for part in pair.parts)
        return dataclasses.replace(pair, parts=tuple(parts))


def unique(groups: Iterable[list[str]]) -> list[list[str]]:
    """Each list once."""
    return list({id(group): group for group in groups}.values())


def common(students: int) -> float:
    """How many of so many students may write something before it says nothing about two of them."""
    return max(LEAST_COMMON, min(COMMON * students, MOST_COMMON))


def weight(students: int, wrote: int) -> float:
    """What a statement says about two who wrote it, in bits: nothing where it is just common."""
    return max(math.log2(COMMON * max(students, SMALL) / wrote), 0)


def shared_in(written: dict[str, dict[int, int]]) -> dict[tuple[str, str], dict[int, int]]:
    """For each pair the statements of a part that both wrote and not many others, with how many wrote each."""
    writers: dict[int, list[str]] = {}
    for student, own in written.items():
        for name in own:
            writers.setdefault(name, []).append(student)
    results: dict[tuple[str, str], dict[int, int]] = {}
    for name, students in writers.items():
        if 2 <= len(students) <= common(len(written)):
            for pair in itertools.combinations(sorted(students), 2):
                results.setdefault(pair, {})[name] = len(students)
    return results


# --- what is not the student's own ---------------------------------------------------------------


@functools.lru_cache(maxsize=10_000)
def statements_of(text: str) -> dict[int, int]:
    """The statements of an answer; many are the same text."""
    return statements(text)


@functools.cache
def own_answers(kind: str, exercise: str) -> dict[str, str]:
    """The answer cells of our own "solutions" or "exercises", by part."""
    if chapter_named(exercise) is None:
        return {}
    cells = source.read("solutions", exercise).answers()
    return {part: cell.source if kind == "solutions" else cell.given for part, cell in cells.items()}


def given_statements(exercise: str, part: str) -> dict[int, int]:
    """What stands in the exercise already."""
    return statements_of(own_answers("exercises", exercise).get(part, ""))


@functools.cache
def own_statements(exercise: str, part: str) -> frozenset[int]:
    """What stands in our solution, and in the engine's version of the part."""
    solution = statements_of(own_answers("solutions", exercise).get(part, ""))
    return frozenset({*solution, *engine_statements(exercise, part)})


def engine_statements(exercise: str, part: str) -> dict[int, int]:
    """What stands in the engine's version of a part."""
    chapter = chapter_named(exercise)
    place = next((item.place for item in chapter.parts if item.name == part), None) if chapter else None
    ours = getattr(importlib.import_module(place.module), place.attribute, None) if place else None
    texts = definitions(inspect.getsource(ours)) if inspect.isclass(ours) or inspect.isfunction(ours) else []
    return {name: steps for text in texts for name, steps in statements_of(text).items()}
