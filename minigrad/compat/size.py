"""The shape of a tensor: a tuple that prints as torch's.

Mirrors https://docs.pytorch.org/docs/stable/size.html
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.compat import pickling


class Size(tuple):
    """A shape; prints as `torch.Size([2, 3])`.

    >>> Size((2, 3)).numel()
    6
    """

    __slots__ = ()
    __module__ = "torch"

    def __reduce__(self) -> Any:
        return pickling.made, (*pickling.place(Size), tuple(self))

    def numel(self) -> int:
        """How many entries a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: tuple) -> Size:
        return Size(other + tuple(self))

    def __mul__(self, times: Any) -> Any:
        return Size(tuple.__mul__(self, times))
