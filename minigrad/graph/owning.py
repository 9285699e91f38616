"""Whose array a gradient is. A leaf keeps an array that nobody else holds, as a later pass adds to it in place. While a
pass runs, the walk and other leaves may hold it too; so a large one is only lent, and copied when the pass is over if
somebody still does. Most are not, which saves the copy.
Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
"""

from __future__ import annotations

import sys

import numpy as np

from minigrad.graph import state
from minigrad.tensor import Tensor

LARGE = 1 << 15  # bytes: to copy less is cheaper than to ask


def own(grad: Tensor) -> None:
    """Give a gradient an array of its own: at once, or when the pass settles."""
    array = grad._array
    if state.lent is not None and array.nbytes >= LARGE and array.flags.owndata and array.flags.c_contiguous:
        state.lent.append(grad)
    else:
        grad._array = array.copy()


def settle() -> None:
    """Copy what somebody else holds: after a pass, and before code of the program runs, which may write to it."""
    while state.lent:
        grad = state.lent.pop()
        if sys.getrefcount(grad._array) > ALONE:
            grad._array = grad._array.copy()


def _alone() -> int:
    """What Python counts for an array that only its Tensor holds."""
    grad = Tensor._of(np.zeros(1))
    return sys.getrefcount(grad._array)


ALONE = _alone()
