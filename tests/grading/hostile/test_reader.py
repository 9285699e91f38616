"""Whatever stands in a file, whatever comes back from a child: it ends in a result or a sentence, never a traceback."""

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from submissions import CHAPTER, EXERCISE, SOLUTION

import minigrad_course.nbval_plugin
from minigrad_course.checks.verdicts import Verdict
from minigrad_course.grading.judge.judge import Result, read_submission
from minigrad_course.grading.judge.sandbox import outcomes
from minigrad_course.grading.records.record import Limits, plain
from minigrad_course.programs import compare
from minigrad_course.texts import submitted

fuzzed = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

WORDS = [
    "mul",
    "chapter1",
    "code",
    "markdown",
    "exercises",
    "solutions",
    CHAPTER.name,
    "../x",
    "%%check mul",
    '@part("mul")',
]
text = st.text(max_size=12) | st.sampled_from([*WORDS, "\0", "\ud800", "\u202e", "\x1b[2J", "part('mul')\n" * 3])
number = st.integers() | st.floats() | st.sampled_from([10**300, -(10**4000), 2**64, 1e308])
anything = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=10,
)


def mostly(expected):
    return st.one_of(*[expected] * 5, anything)


def record(**fields):
    return st.fixed_dictionaries({}, optional=fields)


ours = mostly(record(kind=mostly(st.sampled_from(WORDS)), name=mostly(st.sampled_from(WORDS)), part=text, check=text))
cells = mostly(
    record(
        id=mostly(st.sampled_from([each["id"] for each in EXERCISE["cells"]])),
        cell_type=mostly(st.sampled_from(["code", "markdown", "raw"])),
        source=mostly(text | st.lists(text, max_size=5)),
        metadata=mostly(record(minigrad=ours, nbgrader=anything)),
        outputs=anything,
        execution_count=number,
    )
    | st.sampled_from(SOLUTION["cells"])
)
notebooks = mostly(
    st.fixed_dictionaries(
        {"cells": mostly(st.lists(cells, max_size=12))},
        optional={
            "nbformat": mostly(st.sampled_from([4, 4, 4, 4, 3, 2, 5])),
            "nbformat_minor": number,
            "metadata": mostly(record(minigrad=ours, kernelspec=anything)),
            "worksheets": anything,
        },
    )
)


def ends_well(path, content):
    """Read or refused in a sentence, and unchanged; the plugin knows whether it is ours."""
    path.write_bytes(content)
    assert minigrad_course.nbval_plugin.is_ours(path) in (True, False)
    try:
        found = read_submission(path)
    except submitted.Unreadable as refused:
        assert str(refused).endswith(".") and str(refused).isprintable()
    else:
        assert set(found.answers) <= {part.name for part in CHAPTER.parts}
        assert all(isinstance(each, str) for each in found.answers.values())
        assert all(plain(each).isprintable() for each in found.notices)
    assert path.read_bytes() == content


@fuzzed
@given(notebook=notebooks, pretty=st.booleans())
def test_anything_that_looks_like_a_notebook(tmp_path_factory, notebook, pretty):
    content = json.dumps(notebook, indent=1 if pretty else None).encode()
    ends_well(tmp_path_factory.getbasetemp() / "drawn.ipynb", content)


@fuzzed
@given(content=st.binary(max_size=300) | anything.map(repr).map(lambda each: each.encode("utf-8", "surrogatepass")))
def test_anything_else(tmp_path_factory, content):
    ends_well(tmp_path_factory.getbasetemp() / "bytes.ipynb", content)


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_any_depth(tmp_path, brackets):
    places, depths = ("cells", "source", "metadata", "id", "outputs", "nbformat"), (300, 900, 980, 1_000, 100_000)
    for place, depth in itertools.product(places, depths):
        ends_well(tmp_path / f"{place} {depth}.ipynb", with_depth(place, depth, brackets).encode())


def with_depth(place, depth, brackets):
    """A notebook with something so deep in one place."""
    deep = ("[" * depth + "]" * depth) if brackets == "[]" else ('{"a":' * depth + "1" + "}" * depth)
    cell = {"cell_type": "code", "id": "mul", "source": "x", "metadata": {}, "outputs": []}
    fields = json.dumps(cell | {place: "DEEP"} if place in cell else cell)
    notebook = {"nbformat": 4, "metadata": {}, "cells": ["CELL"]}
    whole = json.dumps(notebook | {place: "DEEP"} if place in notebook and place != "metadata" else notebook)
    return whole.replace('"CELL"', fields).replace('"DEEP"', deep)


@fuzzed
@given(answer=anything, raw=st.binary(max_size=100))
def test_anything_that_a_child_may_answer(answer, raw):
    limits = Limits(output_bytes=1000)
    for body in (json.dumps(answer).encode(), json.dumps({"text": "x", "problem": answer}).encode(), raw):
        outcome = outcomes.parse(body, limits)
        assert outcome.text.encode("utf-8") is not None and isinstance(outcome.message, str)
        assert outcome.problem in {None, *outcomes.ANSWERED_PROBLEMS}


pieces = st.sampled_from(
    ["1", "0.1234", "-", ".", "e", "e99", "[", " ", "\n", "tensor(", ")", "nan", "١", "\0", "\u2028", "x"]
)
printed = st.lists(pieces, max_size=30).map("".join) | st.text(max_size=30)


@fuzzed
@given(one=printed, other=printed)
def test_any_two_texts_are_compared(one, other):
    found = compare.difference(one, other)
    assert (found is None) == compare.alike(one, other)
    assert compare.alike(one, one)
    if found is not None:
        result = Result(Verdict("mul", one, difference=found), 1, other)
        assert not result.passed and result.what.isprintable() and result.what
