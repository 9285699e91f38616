"""The seeds that checks draw their numbers with, a judge for each of them, and which answers are judged with them."""

from __future__ import annotations

import os
from typing import Any

from minigrad_course.grading.judge.judge import Judge

FIRST = 4712
ALL = "MINIGRAD_SEEDS" in os.environ


def seeds(default: int) -> range:
    """As many seeds as MINIGRAD_SEEDS says, else `default`."""
    return range(FIRST, FIRST + int(os.environ.get("MINIGRAD_SEEDS", default)))


def sample(families: dict[str, dict[str, Any]], step: int) -> dict[str, Any]:
    """One in `step` answers of each family; all of them where MINIGRAD_SEEDS counts seeds, as in `make corpora`."""
    step = 1 if ALL else step
    return {f"{family}: {name}": each[name] for family, each in families.items() for name in list(each)[::step]}


class Remembering(Judge):
    """A judge that runs the same cells before the same check only once: most of a submission here is our own."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.ran: dict = {}

    def run_cells(self, submission, check, some, text=""):
        key = check, text, tuple((cell["part"], cell["source"]) for cell in some)
        if key not in self.ran:
            self.ran[key] = super().run_cells(submission, check, some, text)
        return self.ran[key]


class Judges:
    """A judge for each seed, made when it is asked for. They share one sandbox, whose processes stay warm."""

    def __init__(self) -> None:
        self.made: dict[int, Judge] = {}

    def __getitem__(self, seed: int) -> Judge:
        if seed not in self.made:
            judge = Remembering(seed)
            judge.sandbox.most_templates = 128  # answers to the parts of all chapters come in turns
            judge.sandbox = next((each.sandbox for each in self.made.values()), judge.sandbox)
            self.made[seed] = judge
        return self.made[seed]

    def close(self) -> None:
        """End the processes of the sandbox."""
        for judge in self.made.values():
            judge.sandbox.close()
