"""Tensors whose entries follow a rule: `arange`, `linspace`, `eye`.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.arange.html,
https://docs.pytorch.org/docs/stable/generated/torch.linspace.html and
https://docs.pytorch.org/docs/stable/generated/torch.eye.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.numerics import F32, F64, fused, fused32
from minigrad.ops.argument_parser import number
from minigrad.ops.creation.factories import OPTIONS, OUT, allocated, filled, makes
from minigrad.tensor import Tensor


@makes(f"int n, *, {OUT}, {OPTIONS}", f"int n, int m, *, {OUT}, {OPTIONS}")
def eye(n: int, m: int | None = None, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A matrix with ones on the diagonal, n × n or n × m. RuntimeError for a negative size."""
    rows = n
    columns = rows if m is None else m
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    array = allocated((rows, columns), dtype or dtypes.default())
    diagonal = np.arange(min(array.shape))
    array[diagonal, diagonal] = 1
    return array


@makes(
    f"Number end, *, {OUT}, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, {OUT}, {OPTIONS}",
)
def arange(end: Any, start: Any = 0, step: Any = 1, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """start, start + step, … up to but without `end`: ⌈(end − start) / step⌉ numbers. int64 if all three are integers,
    else the default dtype. RuntimeError for a step of 0, or of the wrong sign.
    """
    start, end, step = number(start), number(end), number(step)
    low, high, pace = float(start), float(end), float(step)
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if not (pace > 0 or pace < 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"unsupported range: {low:g} -> {high:g}")
    if high < low if pace > 0 else high > low:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        dtype = dtypes.default() if float in map(type, (start, end, step)) else dtypes.int64
    if not dtype.is_floating_point:
        start, end, step = (int(dtypes.number_in(each, dtypes.int64)) for each in (start, end, step))
    if dtype is not dtypes.int64:
        count = math.ceil((high - low) / pace)
    elif step:
        count = -((start - end) // step)
    else:
        raise ValueError("step must be nonzero")
    if not 0 <= count < 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    array = allocated((count,), dtype)
    with np.errstate(all="ignore"):
        if dtype.is_floating_point:
            array[:] = steps_from(low, pace, count, dtype.numpy)
        else:
            array[:] = np.arange(count) * np.int64(step) + np.int64(start)
    return array


def steps_from(start: float, step: float, count: int, dtype: np.dtype) -> np.ndarray:
    """start + step · i, rounded as torch's loop over vectors of 32 bytes does it. A vector's first number is computed
    and rounded, and the others from it; what is left after the last pair of vectors is computed number by number.
    """
    real, multiply_add = (F32, fused32) if dtype == np.float16 else (F64, fused)
    first, pace = real(start), real(step)
    size = 32 // dtype.itemsize
    whole = count // (2 * size) * (2 * size)
    firsts = multiply_add(np.arange(0, whole, size).astype(real), pace, first).astype(dtype).astype(real)
    vectors = multiply_add(np.tile(np.arange(size).astype(real), len(firsts)), pace, np.repeat(firsts, size))
    vectors[::size] = firsts  # -0 stays what it is
    rest = multiply_add(np.arange(whole, count).astype(real), pace, first)
    return np.concatenate([vectors, rest]).astype(dtype)


@makes(
    *(
        f"{start} start, {end} end, int steps, *, {OUT}, {OPTIONS}"
        for start, end in (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"), ("Number", "Number"))
    )
)
def linspace(start: Any, end: Any, steps: int, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`steps` numbers at equal distances, from `start` to `end`, both included. The first half is counted from the
    start, the second from the end. RuntimeError for a negative number of steps.
    """
    for name, bound in (("start", start), ("end", end)):
        if isinstance(bound, Tensor) and bound.ndim:
            raise RuntimeError(
                f"linspace only supports 0-dimensional start and end tensors, but got {name} with {bound.ndim} "
                "dimension(s)."
            )
    dtype, count = dtype or dtypes.default(), steps
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    array = allocated((count,), dtype)
    if count == 1:
        filled(array, number(start))
    elif count:
        if dtype.kind == dtypes.BOOL:
            raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
        with np.errstate(all="ignore"):
            array[:] = between(
                dtypes.number_in(number(start), dtype), dtypes.number_in(number(end), dtype), count, dtype.numpy
            )
    return array


def between(start: Any, end: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """`count` numbers from start to end, in torch's arithmetic: fused for float32 and float64s as float64."""
    from_start, from_end = np.arange(count // 2), np.arange(count - 1 - count // 2, -1, -1)
    if dtype == np.float16:
        step = (end - start) / dtype.type(count - 1)
        halves = [start + step * from_start.astype(dtype), end - step * from_end.astype(dtype)]
    elif dtype == F32:
        step = F32(F32(end - start) / F32(count - 1))
        halves = [fused32(step, from_start.astype(F32), start), fused32(-step, from_end.astype(F32), end)]
    else:
        step = (F64(end) - F64(start)) / (count - 1)
        halves = [fused(from_start.astype(F64), step, F64(start)), fused(from_end.astype(F64), -step, F64(end))]
    return np.concatenate(halves).astype(np.int64 if dtype.kind in "iu" else dtype)
