"""Whose answers look as if one was made from the other, as `similar` finds them."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Alike:
    """A part in which two students share statements that few wrote: how many of them, and both texts."""

    exercise: str
    part: str
    shared: int
    texts: tuple[str, str] = ("", "")


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two students, the parts in which they are alike, and how surprising that is, in bits."""

    one: str
    other: str
    parts: tuple[Alike, ...]
    bits: float

    @property
    def shared(self) -> int:
        return sum(part.shared for part in self.parts)


@dataclasses.dataclass(frozen=True)
class Ring:
    """Students who are connected by pairs; the pairs that connect them, the strongest first."""

    students: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclasses.dataclass(frozen=True)
class Same:
    """A student whose longer answers to these parts are ours, from the solution or the engine."""

    student: str
    exercise: str
    parts: tuple[str, ...]
