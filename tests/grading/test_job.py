"""A job of the confined child: its cells, the program, and an engine that nothing but a part may change."""

import pytest

import minigrad
from minigrad.passing import fastpath
from minigrad_course.grading.judge import job as jobs
from minigrad_course.grading.judge.job import run_job
from minigrad_course.programs.program import Place

TASK = Place("task", "program", "task")
SAID = "@part('task')\ndef task(): print(torch.tensor(2., requires_grad=True) * 3)"


@pytest.fixture(autouse=True)
def general_methods():
    """As in the confined child, which has no fast path."""
    with fastpath.off():
        yield


def job(*cells, text="task()"):
    return {
        "cells": [{"source": source, "part": part} for source, part in cells],
        "places": [vars(TASK)],
        "program": text,
        "seed": 3,
    }


@pytest.fixture(autouse=True)
def unchanged():
    """The engine of this process is everybody's."""
    before = jobs.watched(minigrad)
    yield
    for each in before:
        each.put_back()


def test_a_job_runs_its_cells_in_one_namespace():
    cells = (
        ("import math", None),
        ("def helper(): return math.pi", "other"),
        ("@part('task')\ndef task(): pass", "task"),
    )
    assert run_job(job(*cells, text="print(seed)"), minigrad) == {"text": "3\n", "problem": None}


def test_a_job_whose_cell_fails_says_how():
    found = run_job(job(("nothing", "task")), minigrad)
    assert found["problem"] == {
        "kind": "cell",
        "message": "The cell stopped in line 1 with NameError: name 'nothing' is not defined.",
    }


def test_a_failing_cell_of_another_part_is_no_hindrance():
    cells = ("1 / 0", "other"), ("@part('task')\ndef task(): print('fine')", "task")
    assert run_job(job(*cells), minigrad) == {"text": "fine\n", "problem": None, "quiet": ""}


def test_what_follows_the_answer_in_its_cell_may_fail():
    source = "@part('task')\ndef task(): print('fine')\n\n1 / 0"
    assert run_job(job((source, "task")), minigrad) == {"text": "fine\n", "problem": None, "quiet": ""}


CHANGES = {
    "a method of Tensor": "minigrad.Tensor.backward = lambda *a: None",
    "a protocol of Tensor": "minigrad.Tensor.__mul__ = lambda *a: 'changed'",
    "a method of all operations": "minigrad.scalar.Function.apply = classmethod(lambda *a: 'changed')",
    "an operation": "minigrad.scalar.Mul = minigrad.scalar.Add",
    "the derivative of an operation": "minigrad.scalar.Mul.forward = staticmethod(lambda *a: 7.0)",
    "the walk": "minigrad.scalar.backpropagate = minigrad.passing.passes.backward = print",
    "a module that a chapter uses": "import types\n    minigrad.passing.passes.scalar = types.ModuleType('scalar')",
    "a rule of leaves": "minigrad.leaf.accumulate = minigrad.leaf.receive = print",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_a_cell_changed_is_put_back_before_the_program(change):
    text = "x = torch.tensor(2., requires_grad=True)\n(x * 3).backward()\nprint(x.grad)\ntask()"
    wanted = {"text": "tensor(3.)\n", "problem": None}
    cells = (f"import minigrad\n{change}", "other"), ("@part('task')\ndef task(): pass", "task")
    assert run_job(job(*cells, text=text), minigrad) == wanted


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_the_program_changed_counts_for_nothing(change):
    cell = f"import minigrad\n@part('task')\ndef task():\n    {change}\n    print('tensor(3.)')"
    found = run_job(job((cell, "task")), minigrad)
    assert found["text"] == "" and found["problem"]["kind"] == "answer"
    assert "of the engine was replaced: you may replace only parts." in found["problem"]["message"]


def test_registering_an_operation_changes_nothing_that_is_there():
    cell = (
        "import minigrad\nfrom minigrad.scalar import Function\n"
        "class Third(Function):\n    forward = staticmethod(lambda ctx, a: a / 3)\n"
        "minigrad.register('third', Third)\n"
    )
    try:
        found = run_job(
            job((cell + "@part('task')\ndef task(): print(minigrad.third(minigrad.tensor(6.)))", "task")), minigrad
        )
    finally:
        minigrad.ops.unregister("third")
    assert found == {"text": "tensor(2.)\n", "problem": None, "quiet": ""}
