"""The named pairs that `max(dim)`, `sort` and their like return.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.max.html
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import pickling
from minigrad.tensor import Tensor


class Pair(tuple):
    """(values, indices); prints with the name of what made it."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        cls.__module__ = "torch.return_types"

    def __new__(cls, *parts: Any) -> Any:
        return super().__new__(cls, parts[0] if len(parts) == 1 else parts)

    def __reduce__(self) -> Any:
        return pickling.made, (__name__, type(self).__name__, tuple(self))

    @property
    def values(self) -> Tensor:
        """What was picked."""
        return self[0]

    @property
    def indices(self) -> Tensor:
        """Where it stood along the axis."""
        return self[1]

    def __repr__(self) -> str:
        return f"torch.return_types.{type(self).__name__}(\nvalues={self[0]!r},\nindices={self[1]!r})"


class max(Pair):
    """What `max(dim)` returns."""

    __slots__ = ()


class min(Pair):
    """What `min(dim)` returns."""

    __slots__ = ()


class median(Pair):
    """What `median(dim)` returns."""

    __slots__ = ()


class sort(Pair):
    """What `sort` returns."""

    __slots__ = ()


class topk(Pair):
    """What `topk` returns."""

    __slots__ = ()
