"""Submissions for the tests of the grader: the solution or the exercise, with some cells changed."""

import contextlib
import functools
import json
import pickle
import sqlite3
import textwrap

from typer.testing import CliRunner

from minigrad_course import parts
from minigrad_course.cli import app
from minigrad_course.grading.records.record import PartRecord, Record
from minigrad_course.texts import source

CHAPTER = next(each for each in parts.chapters() if each.number == 1)
EXERCISE = json.loads(json.dumps(source.notebook("exercises", CHAPTER.name)))
SOLUTION = json.loads(json.dumps(source.notebook("solutions", CHAPTER.name)))
OWN = {"metadata": EXERCISE["metadata"]}  # a student's file, whatever its answers are


def cell(notebook, identity):
    return next(each for each in notebook["cells"] if each["id"] == identity)


def answer_cell(notebook, part):
    """The cell that answers a part."""
    return next(each for each in notebook["cells"] if each["metadata"].get("minigrad", {}).get("part") == part)


@functools.cache
def own(kind, name):
    """Our own notebook of a chapter, "exercises" or "solutions"; nobody may change it."""
    return json.loads(json.dumps(source.notebook(kind, name)))


def ours(part):
    """The source of our own answer to a part, of any chapter."""
    return answer_cell(own("solutions", parts.chapter_of(part).name), part)["source"]


def solution_of(chapter, **answers):
    """A student's exercise of a chapter with our own answers, but other ones to some parts."""
    its_own = {"metadata": own("exercises", chapter.name)["metadata"]}
    return changed(own("solutions", chapter.name) | its_own, answers)


def solution(**answers):
    """A student's exercise with the answers of the solution, but other ones to some parts."""
    return changed(SOLUTION | OWN, answers)


def kept(store, which=""):
    """How many submissions a store holds by now, or those `which` SQL chooses."""
    with contextlib.suppress(sqlite3.OperationalError), sqlite3.connect(store, timeout=10) as database:
        return database.execute(f"SELECT count(*) FROM submissions {which}").fetchone()[0]
    return 0


def exercise(**answers):
    """The untouched exercise with answers to some parts."""
    return changed(EXERCISE, answers)


def only(notebook, *names):
    """A notebook without the answers to all other parts, of which nothing is run then."""
    cells = [each for each in notebook["cells"] if each["metadata"].get("minigrad", {}).get("part") in (None, *names)]
    return notebook | {"cells": cells}


def changed(notebook, answers):
    made = pickle.loads(pickle.dumps(notebook))  # a deep copy, in a fifth of the time
    for part, text in answers.items():
        answer_cell(made, part)["source"] = textwrap.dedent(text)
    return made


def saved(notebook, path):
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    return path


def mul(backward, before="", after=""):
    """An answer to `mul` with this body of its backward."""
    body = textwrap.indent(textwrap.dedent(backward), " " * 8)
    return f"""{textwrap.dedent(before)}
@part("mul")
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
{body}

{textwrap.dedent(after)}
"""


def rectangle(body):
    """An answer to `repair` with this body."""
    return f'@part("repair")\ndef rectangle(torch, a, b):\n{textwrap.indent(textwrap.dedent(body), " " * 4)}\n'


def graded_record(place="in/ada.ipynb", student="ada", passed=99, exercise=CHAPTER.name, **fields):
    """A record of the first exercise in which so many checks passed, from the first on."""
    made = [
        PartRecord(name, ("open", "passed")[at < passed], CHAPTER.points(name) * (at < passed), CHAPTER.points(name))
        for at, name in enumerate(CHAPTER.checks)
    ]
    return Record(place, student, exercise, parts=tuple(made), **fields)


def run_marks(*arguments):
    """Run `minigrad marks` here: its exit status and what it printed."""
    result = CliRunner().invoke(app, ["marks", *map(str, arguments)], env={"COLUMNS": "400"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output
