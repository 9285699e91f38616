"""`%%explain`: the cells of a notebook that have run, and the one below the magic, explained in a process."""

from __future__ import annotations

import os
from typing import Any

from minigrad_course.explain import advice
from minigrad_course.explain.program import Program
from minigrad_course.explain.reading import Source, joined
from minigrad_course.explain.trials.pool import Pool

NAME = "<notebook>"
REFUSED = (
    "It was not explained: to explain a cell, all cells that have run are run again in a process of their own, where "
    "they "
    "may only compute, and {}."
)
UNKNOWN = "The cells could not be run again in a process of their own, so nothing is explained."


def explained(cells: list[tuple[int, str]], folder: str | None = None) -> list[str]:
    """What there is to say of the last of some cells, in lines.

    cells: (execution count, text), in the order in which they ran. They run again, from the first one.
    """
    text, starts = joined([item for _, item in cells])
    named = [(first, f"cell {number}") for (first, _), (number, _) in zip(starts, cells, strict=True)]
    source = Source(NAME, text, folder or os.getcwd(), ["notebook"], {}, named)
    pool = Pool()
    try:
        told, outcome = advice.in_pool(source, {"torch": 0, "python": 0}, pool)
    finally:
        pool.close()
    error: Any = outcome.get("error")
    if error and error[0] == "Refused":
        return [REFUSED.format(error[1].partition(": ")[2])]
    if outcome.get("broken"):
        return [UNKNOWN]
    return advice.lines(told, {NAME: Program(NAME, text, cells=named)}, NAME)


def history(shell: Any, cell: str) -> list[tuple[int, str]]:
    """The cells that have run in a shell, and the one that is to be explained."""
    ran = [*enumerate(shell.user_ns.get("In", [""]))]
    now = len(ran) - 1  # the cell that is running
    results = [(number, text) for number, text in ran if text.strip() and "run_cell_magic('explain'" not in text]
    raw = dict(enumerate(shell.history_manager.input_hist_raw))
    return [*((number, raw.get(number, text)) for number, text in results if number != now), (now, cell)]
