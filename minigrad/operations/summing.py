"""Sums of arrays, added in the order in which torch adds: the last digits of a float32 sum depend on it.

torch adds lanes of 32 bytes at once, in four accumulators, and hands each sum of 16 rows on to the next level, so that
numbers of like size meet. Along which axis it does so, and beside what, depends on where the entries lie in memory.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.sum.html
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

LANES = {np.dtype(np.float32): 8, np.dtype(np.float64): 4}  # how many numbers torch adds at once
SHORT = [[0, *range(4, size), 1, 2, 3] for size in range(8)]  # in which order it adds fewer numbers than that
LEVELS = 4
_reduce: Any = np.add.reduce
_running = np.add.accumulate


def summed_dtype(a: Any) -> Any:
    """In what sums of the array are taken: integers and bools in int64, floats in their own dtype (None)."""
    return None if a.dtype.kind == "f" else np.int64


def total(a: Any) -> Any:
    """Σ over all entries of an array or numpy number, as a numpy number: of a's dtype for floats, else int64."""
    lanes = LANES.get(a.dtype)
    size = a.size
    if lanes is None or not size:
        return a.sum(dtype=summed_dtype(a))
    if not a.flags.c_contiguous:
        return along(a, tuple(range(a.ndim)), ())
    flat = a.ravel()
    if size < lanes:
        return _running(flat if size < 4 else flat.take(SHORT[size]))[-1] + 0.0  # torch begins at 0: it is never -0
    vectors = size // lanes
    fours, end = vectors // 4, vectors * lanes
    if fours:
        width = 4 * lanes
        start = fours * width
        if fours < 4:  # few rows: quicker than a reduction
            sums = flat[:width]
            for place in range(width, start, width):
                sums = sums + flat[place : place + width]
            sums = sums.reshape(4, lanes)
        else:
            sums = cascade(flat[:start].reshape(fours, 4, lanes))
        if start < end:
            sums = sums.copy() if fours == 1 else sums
            for place in range(start, end, lanes):
                sums[0] += flat[place : place + lanes]
    else:
        sums = flat[:end].reshape(vectors, lanes)
    if end == size:
        return _running(_reduce(sums))[-1] + 0.0
    line = np.empty(size - end + lanes, a.dtype)
    line[:-lanes] = flat[end:]
    _reduce(sums, 0, None, line[-lanes:])
    return _running(line)[-1] + 0.0


def average(a: Any) -> Any:
    """Σ / n over all n entries of a float array or numpy number, as a numpy number.

    More than 64 entries are added as numpy adds them, in a third of the time: the last digit may be another.
    """
    return (a.sum() if a.size > 64 else total(a)) / a.size


def along(a: Any, axes: tuple[int, ...], shape: tuple[int, ...], dtype: Any = None) -> Any:
    """Σ along axes (none negative, none twice) of an array or numpy number, as an array of the `shape` that is left.

    It has the dtype given; without one, a's for floats, else int64.
    """
    if dtype is not None and a.dtype != dtype:
        a = a.astype(dtype)
    if a.dtype not in LANES:
        return a.sum(axis=axes, dtype=dtype or summed_dtype(a)).reshape(shape)
    if not a.size:
        return np.zeros(shape, a.dtype)
    way = way_through(a.shape, a.strides, axes, a.dtype)
    x = a.transpose(way.order).reshape(way.folded)
    if way.inner:
        sums = of_lanes(x, LANES[a.dtype])
    else:
        sums = of_columns(x, way.block)
    if way.several:
        sums = _running(sums.reshape(*sums.shape[: -way.several], -1), axis=-1)[..., -1]
    return sums.reshape(shape) + 0.0


def of_losses(x: Any) -> Any:
    """Σ of the losses of rows, an array of any shape. torch's nll_loss adds the first of 17 last; more go quicker as
    numpy adds them.
    """
    if x.size > 17:
        return _reduce(x, axis=None)
    x = x.ravel()
    return _running(x[1:])[-1] + x[0] if x.size > 1 else x.sum()


@functools.lru_cache(maxsize=1024)
def way_through(shape: tuple[int, ...], strides: tuple[int, ...], axes: tuple[int, ...], dtype: np.dtype) -> Any:
    """How torch goes through an array of this shape, strides and dtype for a sum along `axes`.

    The array's axes in the `order` and `folded` to that shape are first the one to add along, and last the one whose
    sums are made beside one another; the sums along the last `several` are added up afterwards. `inner` says whether
    the lanes lie along the first axis. If not, a `block` of columns have one accumulator each; none have if it is 0.
    """
    long = [axis for axis in reversed(range(len(shape))) if shape[axis] > 1]
    reduced = [axis for axis in long if axis in axes]
    for place in range(1, len(reduced)):  # sorted by strides; where copies belong (stride 0) is not said
        for before in reversed(range(place)):
            one, other = reduced[before], reduced[place]
            if strides[one] and strides[other]:
                if strides[one] < strides[other]:
                    break
                if strides[one] > strides[other] or shape[one] > shape[other]:
                    reduced[before], reduced[place] = other, one
                    place = before
    groups: list[list[int]] = []  # axes that are one in memory; the nearest entries come first
    for axis in reduced + [axis for axis in long if axis not in axes]:
        if groups:
            last = groups[-1][-1]
            if (last in axes) == (axis in axes) and strides[last] * shape[last] == strides[axis]:
                groups[-1].append(axis)
                continue
        groups.append([axis])
    if not reduced:
        groups.insert(0, [])  # nothing to add
    sizes = [int(np.prod([shape[axis] for axis in group])) for group in groups] + [1]
    steps = [strides[group[0]] if group else 0 for group in groups] + [0]
    lanes = LANES[dtype]
    if len(groups) > 1 and steps[1] == dtype.itemsize and sizes[1] >= lanes:
        block = 4 * lanes
    else:
        block = 0 if steps[0] < steps[1] else 4
    order = [*groups[0][::-1], *[axis for group in groups[:0:-1] for axis in group[::-1]]]
    return types.SimpleNamespace(
        order=(*order, *[axis for axis in range(len(shape)) if shape[axis] == 1]),
        folded=(sizes[0], *(sizes[-2:0:-1] or [1])),
        several=max(len([group for group in groups if group and group[0] in axes]) - 1, 0),
        inner=steps[0] == dtype.itemsize and sizes[0] >= lanes,
        block=block,
    )


# --- along the first axis ------------------------------------------------------------------------


def of_lanes(x: Any, lanes: int) -> Any:
    """Σ of x (n, …) whose entries lie next to each other along the first axis: lane by lane; then what is left over
    after the last full vector, and the lanes, are added up.
    """
    end = len(x) // lanes * lanes
    sums = of_fours(x[:end].reshape(-1, lanes, *x.shape[1:]))
    return _running(np.concatenate((x[end:], sums)))[-1]


def of_columns(x: Any, block: int) -> Any:
    """Σ of x (n, …, m): full blocks of columns have one accumulator for each of them, the other columns four."""
    columns = x.shape[-1]
    full = columns // block * block if block else 0
    if full == columns:
        return cascade(x)
    sums = of_fours(x[..., full:])
    return np.concatenate((cascade(x[..., :full]), sums), axis=-1) if full else sums


def of_fours(x: Any) -> Any:
    """Σ of x (n, …) in four accumulators, one for every fourth row; rows left over go to the first."""
    fours = len(x) // 4
    if not fours:
        return functools.reduce(np.add, x)
    first, *others = cascade(x[: fours * 4].reshape(fours, 4, *x.shape[1:]))
    for row in (*x[fours * 4 :], *others):
        first += row
    return first


def cascade(x: Any) -> Any:
    """Σ of x (n, …), row by row in levels: `step` rows make one row of the next level, up to the last.

    The trailing axes hold more than one entry, and the nearest ones: so numpy adds rows, one after the other.
    """
    step = 1 << max(4, (len(x) - 1).bit_length() // LEVELS)
    if len(x) < step:
        return _reduce(x)
    levels = []
    for _ in range(LEVELS - 1):
        full = len(x) // step
        if len(x) > full * step:
            levels.append(_reduce(x[full * step :]))
        x = x[: full * step].reshape(full, step, *x.shape[1:])
        x = _reduce(x, axis=1)
        if not full:
            break
    else:
        levels.append(_reduce(x))
    return functools.reduce(np.add, levels)
