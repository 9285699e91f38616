"""`draw` gives a program the same numbers wherever it runs, and no answer has a hand in them."""

import random

import pytest
import torch

import minigrad
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.checks.reference import reference, solutions
from minigrad_course.grading.judge.judge import Judge
from minigrad_course.programs import program
from minigrad_course.programs.draws import COUNT, Draw
from minigrad_course.texts import source


@pytest.fixture(scope="module")
def sandbox():
    judge = Judge(seed=0)
    yield judge.sandbox
    judge.sandbox.close()


PROGRAM = """
print(draw(3), draw(2, 2), draw(), draw(4, signs=True), draw(2, 0))
print(draw.choice("abc"), draw.shuffled(range(8)), seed)
"""


def test_the_numbers_of_a_seed_never_change():
    """A grading of last year can be done again: these are stored, not computed."""
    run = program.run(PROGRAM, minigrad, 20)
    assert run.problem is None
    assert run.text == STORED


def test_torch_and_minigrad_and_the_graders_child_draw_the_same(sandbox):
    for seed in (0, 20, 2**32 - 1):
        text = program.run(PROGRAM, torch, seed).text
        assert text == program.run(PROGRAM, minigrad, seed).text
        task = {"cells": [], "places": [], "program": PROGRAM, "seed": seed}
        assert sandbox.run(task).text == text


@pytest.mark.parametrize("seed", [0, 1, 20, 999])
def test_no_number_comes_twice_and_all_are_within_bounds(seed):
    draw = Draw(seed)
    numbers = [draw() for _ in range(COUNT)]
    assert len(set(numbers)) == COUNT and min(numbers) == 0.5 and max(numbers) == 2.499
    with pytest.raises(ValueError, match="at most 2000"):
        draw(1)


TAMPERED = """
import random
random.seed(0)
random.Random.sample = random.Random.choice = random.Random.getrandbits = lambda self, *a: 1
random.Random.seed = random.Random.random = lambda self, *a: 0
draw = lambda *shape: [1.0] * 3
seed = 0
@part("mul")
"""


def test_an_answer_that_replaces_what_draws_changes_nothing(monkeypatch):
    """Neither Python's `random` nor names of the answer's cell are what a program draws with."""
    for name in ("sample", "choice", "getrandbits", "seed", "random"):
        monkeypatch.setattr(random.Random, name, getattr(random.Random, name))
    chapter = parts.chapter_of("mul")
    text = source.read("solutions", chapter.name).programs()["mul"]
    wanted = reference(chapter, "mul", text, 7)
    answers = program.Answers()
    exec(TAMPERED + "def answer(): pass", {"__name__": "__main__", "part": answers.part})
    assert random.Random(1).sample(range(9), 3) == 1  # it took effect
    own = {"mul": solutions(chapter.name)["mul"]}
    assert program.run_with(text, minigrad, 7, chapter.places("mul"), own).text == wanted
    assert reference(chapter, "mul", text, 7) == wanted


def test_no_check_draws_in_another_way():
    for chapter in parts.chapters():
        for check, text in source.read("solutions", chapter.name).programs().items():
            assert "random" not in text, check
            assert "draw" in text, check
            assert verdicts.SEED == 20


STORED = """\
[0.544, 2.457, 2.011] [[1.776, 1.155], [1.094, 1.891]] 1.757 [-1.552, -1.084, -0.69, -1.569] [[], []]
c [3, 2, 0, 6, 4, 5, 7, 1] 20
"""
