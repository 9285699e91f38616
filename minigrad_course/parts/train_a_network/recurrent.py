"""The part `recurrent`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import show
from minigrad_course.programs.program import Place

mistake = Mistakes("recurrent")


def read_along(
    torch: ModuleType,
    xs: list[float],
    ys: list[float],
    before: Callable[[Tensor], Tensor] = lambda memory: memory,
    after: Callable[[Tensor], Tensor] = lambda memory: memory,
    **options: bool,
) -> None:
    """The program with something done to the memory before the loss, and after the backward."""
    w = torch.tensor(0.9, requires_grad=True)
    memory = torch.tensor(0.5)
    for x, y in zip(xs, ys, strict=True):
        memory = before(torch.tanh(w * memory + x))
        loss = (memory - y) ** 2
        loss.backward(**options)
        show(memory, loss, w.grad)
        memory = after(memory)


@mistake(
    "one long graph",
    "the memory carries the graph of all earlier steps, whose saved values are freed after the first backward",
)
def one_long_graph(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    read_along(torch, xs, ys)


@mistake(
    "retained",
    "you retain the graph: it runs, but every loss also goes back through all earlier steps, and the graph never "
    "stops growing",
)
def retained(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    read_along(torch, xs, ys, retain_graph=True)


@mistake("forgets", "the memory starts from 0 at each number: you lose its value, not only the graph")
def forgets(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    read_along(torch, xs, ys, after=lambda memory: torch.tensor(0.0))


@mistake("cleared", "you clear `w.grad` at each number; here the gradients of all steps should add up")
def cleared(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    w, memory = torch.tensor(0.9, requires_grad=True), torch.tensor(0.5)
    for x, y in zip(xs, ys, strict=True):
        memory = torch.tanh(w * memory.detach() + x)
        loss = (memory - y) ** 2
        w.grad = None
        loss.backward()
        show(memory, loss, w.grad)


@mistake(
    "cut too early",
    "no path leads from the loss to w: the memory, or w itself, is detached before the loss is computed, or nothing is "
    "recorded there",
)
def cut_too_early(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    read_along(torch, xs, ys, before=lambda memory: memory.detach())


def started_over(torch: ModuleType, xs: list[float], ys: list[float], start: float) -> None:
    """The program with a memory that is a new number after each step."""
    w, memory = torch.tensor(0.9, requires_grad=True), torch.tensor(0.5)
    for x, y in zip(xs, ys, strict=True):
        loss = (torch.tanh(w * memory + x) - y) ** 2
        loss.backward()
        memory = torch.tensor(start)
        show(memory, loss, w.grad)


FORGETS = "the memory starts over at each number: you lose its value, not only the graph"
mistake("forgets, shown so", FORGETS)(functools.partial(started_over, start=0.5))
mistake("forgets, from 0", FORGETS)(functools.partial(started_over, start=0.0))


@mistake(
    "a flag", "you set the flag of a result to False, which only a leaf allows: `detach()` gives you just the value"
)
def a_flag(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    read_along(torch, xs, ys, after=lambda memory: memory.requires_grad_(False))


@mistake(
    "a flag, not yet shown",
    "you set the flag of a result to False, which only a leaf allows: `detach()` gives you just the value",
)
def a_flag_first(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    w, memory = torch.tensor(0.9, requires_grad=True), torch.tensor(0.5)
    loss = (torch.tanh(w * memory + xs[0]) - ys[0]) ** 2
    loss.backward()
    loss.requires_grad_(False)


part = Part(
    Place("recurrent", "program", "read_along"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "Draw the graph of the second loss. Where does it touch the graph of the first?",
        "`retain_graph=True` would keep the whole past. What you want is its value, without its history.",
        "After the backward: `memory = memory.detach()`.",
    ),
    mistakes=tuple(mistake),
    probe="""
numbers = [(f"{what} at number {n}", 1) for n in range(1, 4) for what in ("the memory", "the loss", "`w.grad`")]
printed(lambda: read_along(torch, [0.2, -0.3, 0.5], [1000.0, 3000.0, 500.0]), *numbers)
""",
)
