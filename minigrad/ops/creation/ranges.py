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

__all__ = ["arange", "eye", "linspace", "logspace"]


@makes(f"int n, *, {OUT}, {OPTIONS}", f"int n, int m, *, {OUT}, {OPTIONS}")
def eye(n: int, m: int | None = None, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A matrix with ones on the diagonal, n × n or n × m. RuntimeError for a negative size."""
    shape = n, n if m is None else m
    for name, size in zip("nm", shape, strict=True):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    array = allocated(shape, dtype or dtypes.default())
    np.fill_diagonal(array, 1)
    return array


@makes(
    f"Number end, *, {OUT}, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, {OUT}, {OPTIONS}",
)
def arange(end: Any, start: Any = 0, step: Any = 1, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """start, start + step, … without `end`: int64 for three integers, else the default. RuntimeError for a bad step."""
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    low, high, pace = float(start), float(end), float(step)
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
        if not step and dtype is dtypes.int64:
            raise ValueError("step must be nonzero")
    count = -((start - end) // step) if dtype is dtypes.int64 else math.ceil((high - low) / pace)
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
    """start + step · i, rounded once; for half precision in float32."""
    real, multiply_add = (F32, fused32) if dtype == np.float16 else (F64, fused)
    return multiply_add(np.arange(count).astype(real), real(step), real(start)).astype(dtype)


@makes(
    f"Tensor start, Tensor end, int steps, *, {OUT}, {OPTIONS}",
    f"Number start, Tensor end, int steps, *, {OUT}, {OPTIONS}",
    f"Tensor start, Number end, int steps, *, {OUT}, {OPTIONS}",
    f"Number start, Number end, int steps, *, {OUT}, {OPTIONS}",
)
def linspace(start: Any, end: Any, steps: int, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`steps` equally spaced numbers from `start` to `end`: half counted from the start, half from the end."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = dtype or dtypes.default()
    array = allocated((steps,), dtype)
    if steps == 1:
        return filled(array, number(start))
    if steps and dtype.kind == dtypes.BOOL:
        raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
    if steps:
        first, last = (dtypes.number_in(number(each), dtype) for each in (start, end))
        with np.errstate(all="ignore"):
            array[:] = between(first, last, steps, dtype.numpy)
    return array


@makes(f"Number start, Number end, int steps, float base = 10.0, *, {OUT}, {OPTIONS}")
def logspace(start: Any, end: Any, steps: int, base: float, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`steps` powers of `base`, whose exponents are equally spaced from `start` to `end`."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = dtype or dtypes.default()
    array = allocated((steps,), dtype)
    array[:] = float(base) ** np.linspace(float(start), float(end), steps)
    return array


def between(start: Any, end: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """`count` numbers from start to end, in torch's arithmetic: fused for float32 and float64s as float64."""
    from_start, from_end = np.arange(count // 2), np.arange(count - 1 - count // 2, -1, -1)
    if dtype == np.float16:
        step = (end - start) / dtype.type(count - 1)
        return np.concatenate([start + step * from_start.astype(dtype), end - step * from_end.astype(dtype)])
    real, multiply_add = (F32, fused32) if dtype == F32 else (F64, fused)
    first, last = real(start), real(end)
    step = real(real(last - first) / real(count - 1))
    halves = [multiply_add(from_start.astype(real), step, first), multiply_add(from_end.astype(real), -step, last)]
    return np.concatenate(halves).astype(np.int64 if dtype.kind in "iu" else dtype)
