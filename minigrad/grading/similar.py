"""Answers that look like copies of each other, for the instructor to look at: a hint, not a verdict.

Two short answers to the same question are often alike. So names, comments and layout are taken away, short answers
and those that many students wrote are left out, and so is whatever looks like our own solution.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import warnings
from collections.abc import Iterable, Iterator

from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from minigrad.course import source
from minigrad.course.parts import chapter_named
from minigrad.grading.record import Record

LEAST_STEPS = 40  # of the syntax tree: below, everybody writes the same
MOST_STEPS = 3_000  # of an answer that is compared: beyond, the time for it would grow too much
COMMON = 0.05  # an answer that more than this share of the class wrote belongs to nobody
LEAST_COMMON = 3
LIKENESS = 0.92
MOST_COMPARED = 3_000  # answers to one part that are compared with each other
MOST_PAIRS = 200


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two students with near-identical answers to a part. `likeness` is 1 where only names and layout differ."""

    exercise: str
    part: str
    one: str
    other: str
    likeness: float


def steps(text: str) -> tuple[str, ...]:
    """The syntax tree of an answer as a row of words, without names, documentation and annotations; () if it has none.

    Names that the answer chose become numbers in the order they come; attributes keep theirs.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    numbers: dict[str, int] = {}
    found: list[str] = []
    waiting: list[ast.AST] = [tree]  # no recursion: a stranger wrote it
    while waiting and len(found) <= MOST_STEPS:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        word = type(node).__name__
        if isinstance(node, ast.Name):
            word += str(numbers.setdefault(node.id, len(numbers)))
        elif isinstance(node, ast.arg):
            word += str(numbers.setdefault(node.arg, len(numbers)))
        elif isinstance(node, ast.Attribute):
            word += node.attr
        elif isinstance(node, ast.Constant):
            word += repr(node.value)[:40]
        found.append(word)
        inner = [child for name, child in ast.iter_fields(node) if name not in ("annotation", "returns", "ctx")]
        flat = [each for child in inner for each in (child if isinstance(child, list) else [child])]
        waiting += [each for each in reversed(flat) if isinstance(each, ast.AST)]
    return tuple(found[:MOST_STEPS])


def pairs(records: Iterable[Record]) -> list[Pair]:
    """The pairs of students with near-identical answers, the most alike first."""
    written: dict[tuple[str, str], dict[tuple[str, ...], list[str]]] = {}
    for record in records:
        for part, text in record.answers.items():
            row = steps(text)
            if len(row) >= LEAST_STEPS and record.exercise:
                students = written.setdefault((record.exercise, part), {}).setdefault(row, [])
                if record.student not in students:
                    students.append(record.student)
    found = [pair for (exercise, part), answers in written.items() for pair in alike(exercise, part, answers)]
    return sorted(found, key=lambda pair: (-pair.likeness, pair.exercise, pair.part, pair.one, pair.other))[:MOST_PAIRS]


def alike(exercise: str, part: str, answers: dict[tuple[str, ...], list[str]]) -> Iterator[Pair]:
    """The pairs for one part."""
    common = max(LEAST_COMMON, COMMON * sum(map(len, answers.values())))
    ours = own_answer(exercise, part)
    rare = {
        row: students
        for row, students in answers.items()
        if len(students) < common and Indel.normalized_similarity(row, ours) < LIKENESS
    }
    for students in rare.values():
        for one, other in itertools.combinations(sorted(students), 2):
            yield Pair(exercise, part, one, other, 1.0)
    rows = list(rare)[:MOST_COMPARED]
    if len(rows) < 2:
        return
    scores = cdist(rows, rows, scorer=Indel.normalized_similarity, score_cutoff=LIKENESS)
    for first, second in zip(*scores.nonzero(), strict=True):
        if first < second:
            one, other = sorted((rare[rows[first]][0], rare[rows[second]][0]))
            if one != other:
                yield Pair(exercise, part, one, other, round(float(scores[first, second]), 2))


def own_answer(exercise: str, part: str) -> tuple[str, ...]:
    """Our own answer to a part."""
    if chapter_named(exercise) is None:
        return ()
    cells = source.read("solutions", exercise).cells
    return next((steps(cell.source) for cell in cells if cell.role == "answer" and cell.part == part), ())
