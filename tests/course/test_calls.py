"""How often each part of the engine runs in a training: counted in the learner's parts and in ours."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

import minigrad
from minigrad.passing import fastpath
from minigrad_course import explorers, parts
from minigrad_course.chapters import calls, train_spirals
from minigrad_course.chapters.calls import counting, spots
from minigrad_course.checks import myparts
from minigrad_course.texts import source

STEPS = 5
REPLACED = {"accumulate"}  # `accumulate_again` stands in its place
PARTS = {part.name for chapter in parts.chapters() for part in myparts.engine_parts(chapter)}


def train() -> None:
    """A few steps of lesson 5, and its gradient check."""
    network, step = train_spirals.begun(minigrad)
    for _ in range(STEPS):
        step()
    assert train_spirals.agrees(network)


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    """A folder with all exercises solved."""
    for chapter in parts.chapters():
        nbformat.write(source.notebook("solutions", chapter.name), tmp_path / f"{chapter.name}.ipynb")
    return tmp_path


@contextlib.contextmanager
def using(folder: Path) -> Iterator[None]:
    """The parts of a folder in the engine."""
    mine = myparts.MyParts()
    try:
        mine.use(folder)
        yield
    finally:
        mine.off()


def of_chapter(table: str, name: str) -> list[str]:
    """A row of the table, as words."""
    (row,) = [line.split() for line in table.splitlines() if name in line.split()]
    return row


def test_it_is_the_calls_themselves_that_are_counted() -> None:
    x = minigrad.tensor([[2.0, 3.0]], requires_grad=True)
    with counting() as counted:
        for _ in range(3):
            (x @ minigrad.ones(2, 1)).sum().backward()
        x * 2  # goes forward only
    assert (counted["matmul"], counted["sum"], counted["walk"], counted["mul"]) == (3, 3, 3, 0)


def test_the_training_of_a_learner_says_yours(solved: Path) -> None:
    points, arms = train_spirals.spirals(minigrad)
    with using(solved):
        view = explorers.training(train_spirals.begun, points, arms, minigrad, last=2, every=1)
    found = {each["name"]: each["whose"] for each in view.data()["parts"]}
    assert set(found.values()) == {"yours"} and {"matmul.backward", "walk", "no_grad"} <= found.keys()
    counts = dict(zip(found, view.data()["frames"][-1]["calls"], strict=True))
    assert (counts["matmul.backward"], counts["walk"]) == (4, 2)


def test_afterwards_everything_is_as_it_was() -> None:
    before = [vars(each.owner).get(each.name) for each in spots()]
    prepare = fastpath.nodes.prepare
    with pytest.raises(ZeroDivisionError), counting():
        _ = 1 / 0
    assert [vars(each.owner).get(each.name) for each in spots()] == before
    assert fastpath.nodes.prepare is prepare


def test_the_table_says_whose_each_part_is(solved: Path) -> None:
    (solved / f"{parts.chapters()[3].name}.ipynb").unlink()
    with using(solved):
        table = repr(calls.calls({"steps": train, "nothing": lambda: None}))
    yours = sum(len(myparts.engine_parts(chapter)) for chapter in parts.chapters() if chapter.number < 4)
    assert table.startswith(f"How often each part runs; {yours} of {len(PARTS - REPLACED)} are yours.")
    assert of_chapter(table, "mul.backward") == ["1", "mul.backward", "yours", str(STEPS), "0"]
    assert of_chapter(table, "accumulate")[:3] == ["1", "accumulate", "yours"]  # that of chapter 4 is not there
    assert of_chapter(table, "no_grad")[2] == "ours"
