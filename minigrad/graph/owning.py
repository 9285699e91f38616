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


def own(grad: Tensor, like: np.ndarray) -> None:
    """Give a gradient an array that the leaf `like` keeps, in its layout: at once, or when the pass settles."""
    array = grad._array
    fits = array.flags.c_contiguous and (array.strides == like.strides or not state.grad_layout)
    if state.lent is not None and array.nbytes >= LARGE and fits and is_whole(array) and not of_seed(array):
        state.lent.append(grad)
    else:
        grad._array = copied(array, like)


def copied(array: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A gradient in memory that the leaf `like` keeps: a copy in the leaf's layout. As in torch it is no copy if it
    shares the memory of a seed that the program has given, seen through a view.
    """
    if state.seeds and (array.strides == like.strides or not state.grad_layout) and of_seed(array):
        return array
    if state.grad_layout and (like.ndim < 2 or like.flags.c_contiguous):
        return array.copy()
    if not state.grad_layout:
        return array.copy(order="K")
    result = room(like, array)
    result[...] = array
    return result


def of_seed(array: np.ndarray) -> bool:
    """Whether an array is a view into the memory of a seed of the pass."""
    bases = [seed if seed.base is None else seed.base for seed in state.seeds if seed is not array]
    return array.base is not None and any(array.base is base for base in bases)


def room(like: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """Zeros for a gradient of the leaf `like`, which has its layout in memory if that has no gaps; else row by row."""
    dense = like.shape == grad.shape and state.grad_layout and not (0 in like.strides and like.size > 1)
    return np.zeros_like(like if dense else grad, grad.dtype, order="K" if dense else "C")


def is_whole(array: np.ndarray) -> bool:
    """Whether the array has memory of its own, or is all of an array that has, in another form."""
    base = array.base
    return base is None or (type(base) is np.ndarray and base.base is None and base.size == array.size)


def settle() -> None:
    """Copy what somebody else holds: after a pass, and before code of the program runs, which may write to it."""
    while state.lent:
        grad = state.lent.pop()
        if holders(grad) != ALONE[grad._array.base is not None]:
            grad._array = grad._array.copy()


def holders(grad: Tensor) -> tuple[int, int]:
    """What Python counts for the array of a Tensor, and for the one whose memory it has."""
    base = grad._array.base is not None and sys.getrefcount(grad._array.base)
    return sys.getrefcount(grad._array), base


def alone() -> list[tuple[int, int]]:
    """What it counts where only the Tensor holds the array: for an array of its own, and for the form of another."""
    return [holders(Tensor._of(np.zeros((2, 2)))), holders(Tensor._of(np.zeros((2, 2)).T))]


ALONE = alone()
