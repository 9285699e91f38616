"""Which axes a reduction is about, and what becomes of shape and dtype.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.sum.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.tensor import Tensor

ALL: Any = object()  # for a `dim` that the program does not give: torch has two names of nodes for these two


def axes_of(tensor: Tensor, dim: Any) -> tuple[int, ...]:
    """`dim` as non-negative axes, sorted; all for None and for (). IndexError, in torch's words, outside the tensor's
    dimensions, RuntimeError for an axis that comes twice.
    """
    if dim is None or dim == () or dim == []:
        return tuple(range(tensor.ndim))
    axes: set[int] = set()
    for each in dim if isinstance(dim, (tuple, list)) else (dim,):
        axis = dtypes.axis_of(tensor.ndim, each)
        if axis in axes:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        axes.add(axis)
    return tuple(sorted(axes)) if tensor.ndim else ()


def kept_shape(shape: tuple, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a reduction along the axes, with each of them kept as size 1."""
    return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])


def shape_left(shape: tuple, axes: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    """The shape of a reduction along the axes, without them unless `keepdim` is set."""
    if keepdim:
        return kept_shape(shape, axes)
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def counted(shape: tuple, axes: tuple[int, ...]) -> int:
    """How many entries are reduced to one along `axes`."""
    return math.prod([shape[axis] for axis in axes])


def in_dtype(input: Tensor, dtype: dtypes.dtype | None) -> np.dtype | None:
    """`dtype` as numpy's. RuntimeError for integers where a gradient is wanted."""
    if dtype is None:
        return None
    if input.requires_grad and not dtype.is_floating_point:
        raise RuntimeError(f"Autograd not support dtype: {dtype.scalar_type}")
    return dtype.numpy


def slices(a: Any, axis: int) -> list:
    """The parts of an array or Tensor at each place of an axis, without that axis."""
    return [a[(slice(None),) * axis + (place,)] for place in range(a.shape[axis])]
