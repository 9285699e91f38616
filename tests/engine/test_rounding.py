"""Sums, losses, arithmetic with a factor and optimizers are torch's to the last bit: how torch adds and rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from engines import ENGINES

import minigrad
from minigrad import parts
from minigrad.arithmetic import summing

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
            if 0 < size <= 64:
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
    for _ in range(700):
        ndim = int(random.integers(1, 5))
        a = random.standard_normal(random.choice([1, 2, 3, 4, 5, 7, 8, 9, 17, 33][: 10 if ndim < 4 else 8], ndim))
        a = a.astype(dtype).transpose(random.permutation(ndim))
        axis = int(random.integers(ndim))
        part: list = [slice(None)] * ndim
        if random.random() < 0.3:
            part[axis] = slice(int(random.integers(2)), None, int(random.integers(1, 3)))
            a = a[tuple(part)]
        elif random.random() < 0.3 and a.flags.c_contiguous:
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


def test_running_sums_and_products() -> None:
    theirs, ours = both(np.arange(500, dtype=np.float32) * 0.37 % 1)
    assert bits(ours.cumsum(0)) == bits(theirs.cumsum(0)) and bits((ours + 0.5).cumprod(0)) == bits(
        (theirs + 0.5).cumprod(0)
    )


# --- losses --------------------------------------------------------------------------------------

LOSSES: list[tuple[Callable, int]] = [  # and up to how many rows of 5 they are torch's
    (lambda e, x, y, t, w, how: e.nn.functional.mse_loss(x, y, reduction=how), 5000),
    (lambda e, x, y, t, w, how: e.nn.functional.l1_loss(x, y, reduction=how), 12),
    (lambda e, x, y, t, w, how: e.nn.functional.nll_loss(x, t, reduction=how), 17),
    (lambda e, x, y, t, w, how: e.nn.functional.nll_loss(x, t, weight=w, reduction=how), 17),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_losses(dtype: type) -> None:
    random = np.random.default_rng(5)
    for rows in [1, 2, 3, 12, 16, 17, 18, 33, 100, 256, 257, 300, 5000]:
        x, y = random.standard_normal((2, rows, 5)).astype(dtype)
        weight, target = random.random(5).astype(dtype), random.integers(0, 5, rows)
        for loss in [loss for loss, most in LOSSES if rows <= most]:
            for how in ("mean", "sum"):
                values = zip(*map(both, (x, y, target, weight)), strict=True)
                theirs, ours = [loss(e, *each, how) for e, each in zip(ENGINES, values, strict=True)]
                assert bits(ours) == bits(theirs), (rows, how)


# --- arithmetic with a factor --------------------------------------------------------------------

MIXTURES: list[Callable] = [
    lambda x, y, z, k: x.add(y, alpha=k),
    lambda x, y, z, k: x.sub(y, alpha=k),
    lambda x, y, z, k: x.clone().add_(y, alpha=k),
    lambda x, y, z, k: x.add(y[:1], alpha=k) if x.ndim > 1 else x.add(y, alpha=-k),
    lambda x, y, z, k: x.lerp(y, k),
    lambda x, y, z, k: x.lerp(y, -k),
    lambda x, y, z, k: x.lerp(y, z),
    lambda x, y, z, k: x.clone().lerp_(y, 1 - k),
    lambda x, y, z, k: x.addcmul(y, z),
    lambda x, y, z, k: x.addcmul(y, z, value=k),
    lambda x, y, z, k: x.clone().addcmul_(y, y, value=-k),
    lambda x, y, z, k: x.addcdiv(y, z, value=k),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_factor_is_multiplied_and_added_in_one_step(dtype: type) -> None:
    random = np.random.default_rng(6)
    for shape in [(), (1,), (3,), (8,), (17,), (100,), (1000,), (5, 7), (33, 3)]:
        for factor in (0.1, 0.5, 0.9, 2, 1e-3, -0.7):
            numbers = [np.asarray(random.standard_normal(shape)).astype(dtype) for _ in range(3)]
            for number, mix in enumerate(MIXTURES):
                theirs, ours = [mix(*each, factor) for each in zip(*map(both, numbers), strict=True)]
                assert bits(ours) == bits(theirs), (number, shape, factor)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_not_finite_stays_so(dtype: type) -> None:
    ends = [0.0, -0.0, 1.1, -3.7, np.inf, -np.inf, np.nan, 1.7e18, 1.3e-30]
    x, y, z = [each.ravel().astype(dtype) for each in np.meshgrid(ends, ends, ends)]
    for mix in MIXTURES[:3] + MIXTURES[4:5] + MIXTURES[8:10]:
        theirs, ours = [mix(*each, 0.3) for each in zip(*map(both, (x, y, z)), strict=True)]
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
        number = ~np.isnan(ours.numpy())
        np.testing.assert_array_equal(np.signbit(ours.numpy()[number]), np.signbit(theirs.numpy()[number]))


# --- optimizers ----------------------------------------------------------------------------------

RULES = {
    "SGD": [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
        {"momentum": 0.5, "dampening": 0.3},
        {"weight_decay": 0.01, "maximize": True},
    ],
    "Adam": [{}, {"maximize": True}, {"betas": (0.3, 0.4), "weight_decay": 0.1}, {"amsgrad": True, "eps": 1e-3}],
    "AdamW": [{}, {"weight_decay": 0.3, "maximize": True}],
    "RMSprop": [
        {},
        {"momentum": 0.5, "centered": True, "maximize": True},
        {"momentum": 0.9, "alpha": 0.9},
        {"centered": True, "weight_decay": 0.1},
    ],
    "Adagrad": [{}, {"maximize": True}, {"lr_decay": 0.1, "initial_accumulator_value": 0.2, "weight_decay": 0.01}],
}


def torchs_sqrt(x: minigrad.Tensor) -> minigrad.Tensor:
    """The root as torch has it here: the library that computes it may miss the last bit, numpy's never does."""
    return minigrad.Tensor._of(torch.from_numpy(np.array(x._array)).sqrt().numpy()[()])


@pytest.fixture
def torchs_roots() -> Iterator[None]:
    with parts.replace("sqrt", torchs_sqrt):
        yield


@pytest.mark.usefixtures("torchs_roots")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", RULES)
def test_ten_steps(name: str, dtype: type) -> None:
    random = np.random.default_rng(7)
    for settings in RULES[name]:
        for shape in [(), (3,), (8,), (5, 7), (100, 1)]:
            start, *grads = [np.asarray(random.standard_normal(shape)).astype(dtype) for _ in range(11)]
            seen = []
            for engine, parameter in zip(ENGINES, both(start.copy()), strict=True):
                parameter = parameter.clone().requires_grad_()
                optimizer = getattr(engine.optim, name)([parameter], lr=0.03, **settings)
                path = []
                for grad in grads:
                    parameter.grad = both(grad)[ENGINES.index(engine)]
                    optimizer.step()
                    path.append(parameter.tolist())
                seen.append(path)
            assert seen[0] == seen[1], (settings, shape)
