"""The numbers of a check: `draw`, which every program gets beside `torch` and `seed`.

A grading sends this file to its confined child, beside `program`. It imports nothing, and counts for itself: whatever
an answer does to Python's `random`, a check draws the numbers that torch's reference was computed with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")

SMALLEST, COUNT = 500, 2000  # thousandths: numbers from 0.5 to 2.499
BITS = (1 << 64) - 1


class Draw:
    """Numbers and decisions that hang on the seed alone; no number comes twice in a program."""

    def __init__(self, seed: int):
        self._state = seed & BITS
        self._drawn: set[int] = set()

    def _below(self, count: int) -> int:
        """A whole number from 0 to count - 1: SplitMix64 (https://prng.di.unimi.it/splitmix64.c)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & BITS
        bits = self._state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & BITS
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & BITS
        return (bits ^ (bits >> 31)) % count

    def __call__(self, *shape: int, signs: bool = False) -> Any:
        """draw(3): a list of three numbers from 0.5 to 2.5. draw(3, 2): three rows of two. draw(): one number.

        signs: each is positive or negative. ValueError where a program would draw more than there are.
        """
        if shape:
            return [self(*shape[1:], signs=signs) for _ in range(shape[0])]
        if len(self._drawn) == COUNT:
            raise ValueError(f"a program draws at most {COUNT} numbers")
        number = self._below(COUNT)
        while number in self._drawn:
            number = self._below(COUNT)
        self._drawn.add(number)
        size = (SMALLEST + number) / 1000
        return -size if signs and self._below(2) else size

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self._below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items as a list, in another order."""
        left = list(items)
        return [left.pop(self._below(len(left))) for _ in items]
