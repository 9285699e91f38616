"""Sums are torch's to the last bit: torch's order of adding."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from engines import ENGINES

import minigrad
from minigrad.operations import summing

DTYPES = [np.float32, np.float64]
SIZES = [*range(71), 100, 128, 255, 256, 1000, 5000, 70000]
ROWS = [1, 2, 3, 4, 5, 8, 15, 17, 63, 65, 100, 260, 1100]
COLUMNS = [1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 41, 64, 70, 100]


def bits(value: object) -> bytes:
    """A tensor's entries as they lie in memory: -0 and 0 differ, and every last bit."""
    return np.ascontiguousarray(value.detach().numpy()).tobytes()  # type: ignore[attr-defined]


def both(a: np.ndarray) -> tuple:
    """The array as a tensor of either engine, in memory as it is."""
    theirs = torch.from_numpy(a)
    return theirs, minigrad.Tensor._of(a)


def assert_sums_alike(a: np.ndarray, axes: tuple[int, ...] | None) -> None:
    theirs, ours = [x.sum() if axes is None else x.sum(axes) for x in both(a)]
    assert bits(ours) == bits(theirs), (a.shape, a.strides, axes)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_and_means_of_all_entries(dtype: type) -> None:
    random = np.random.default_rng(1)
    for size in SIZES:
        for _ in range(8 if size < 1000 else 2):
            a = random.standard_normal(size).astype(dtype)
            assert_sums_alike(a, None)
            if size:
                theirs, ours = [x.mean() for x in both(a.reshape(-1, 1))]
                assert bits(ours) == bits(theirs), size


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_along_one_axis_of_a_matrix(dtype: type) -> None:
    random = np.random.default_rng(2)
    for rows in ROWS:
        for columns in COLUMNS:
            a = random.standard_normal((rows, columns)).astype(dtype)
            for form in (a, a.T, a[::2, 1:], a.T[1:]):
                for axes in (None, (0,), (1,)):
                    assert_sums_alike(form, axes)
            for axis in (0, 1):
                theirs, ours = [x.mean(axis, keepdim=True) for x in both(a)]
                assert bits(ours) == bits(theirs) and ours.shape == theirs.shape


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_any_layout(dtype: type) -> None:
    random = np.random.default_rng(3)
    for _ in range(2000):
        ndim = int(random.integers(1, 5))
        a = random.standard_normal(random.choice([1, 2, 3, 4, 5, 7, 8, 9, 17, 33][: 10 if ndim < 4 else 8], ndim))
        a = a.astype(dtype).transpose(random.permutation(ndim))
        axis = int(random.integers(ndim))
        part: list = [slice(None)] * ndim
        if random.random() < 0.3:
            part[axis] = slice(int(random.integers(2)), None, int(random.integers(1, 3)))
            a = a[tuple(part)]
        elif random.random() < 0.3:
            part[axis] = slice(0, 1)
            a = np.lib.stride_tricks.as_strided(
                a[tuple(part)], a.shape, np.broadcast_to(a[tuple(part)], a.shape).strides
            )
        axes = tuple(sorted(random.choice(ndim, int(random.integers(1, ndim + 1)), replace=False).tolist()))
        assert_sums_alike(a, axes)
        assert_sums_alike(a, None)


def test_sums_of_nothing_and_of_negative_zeros() -> None:
    for engine in ENGINES:
        for shape in ((1,), (3,), (8,), (3, 9), (40, 40)):
            zeros = -engine.zeros(*shape)
            for each in (zeros.sum(), zeros.sum(0), zeros.sum(-1), zeros.mean()):
                assert not np.signbit(each.numpy()).any()
        assert engine.zeros(0, 3).sum().item() == 0 and engine.zeros(0, 3).sum(0).tolist() == [0, 0, 0]


def test_nansum_and_other_dtypes() -> None:
    random = np.random.default_rng(4)
    for shape in ((50,), (7, 33), (100, 5)):
        a = random.standard_normal(shape).astype(np.float32)
        a[random.random(shape) < 0.2] = np.nan
        for axes in (tuple(range(a.ndim)), (0,), (a.ndim - 1,)):
            theirs, ours = [x.nansum(axes) for x in both(a)]
            assert bits(ours) == bits(theirs)
            theirs, ours = [x.nan_to_num().sum(axes, dtype=e.float64) for x, e in zip(both(a), ENGINES, strict=True)]
            assert bits(ours) == bits(theirs)
        counts = random.integers(-100, 100, shape)
        assert summing.total(counts) == counts.sum() and summing.total(counts).dtype == np.int64
