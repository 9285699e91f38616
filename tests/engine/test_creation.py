"""Tensors are made with torch's numbers to the last bit, in memory as torch lays it; the rest is in `sessions/`."""

import itertools
import types

import numpy as np
import torch
from engines import ENGINES
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minigrad
from minigrad.ops import creation

STARTS = st.just(0.0) | st.floats(1e-15, 1e3) | st.floats(-1e3, -1e-15)


def array_of(expression: str, engine: types.ModuleType) -> np.ndarray:
    tensor = eval(expression, {"torch": engine})
    return tensor.numpy() if isinstance(tensor, torch.Tensor) else np.asarray(tensor._array)


def assert_same_bits(expression: str) -> None:
    theirs, mine = (array_of(expression, engine) for engine in ENGINES)
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape), expression
    assert mine.tobytes() == theirs.tobytes(), f"{expression}: {theirs} {mine}"


@settings(max_examples=200, deadline=None, derandomize=True)
@given(STARTS, st.floats(0.01, 10), st.integers(0, 120), st.sampled_from(["float32", "float64", "float16"]))
def test_every_number_of_arange(start: float, step: float, count: int, dtype: str) -> None:
    """To the last bit where torch computes each number by itself; in its loop over vectors it rounds twice."""
    assert_same_bits(f"torch.arange({start}, {start + step * (count % 7)}, {step}, dtype=torch.{dtype})")
    expression = f"torch.arange({start + step * count}, {start}, {-step}, dtype=torch.{dtype})"
    theirs, mine = (array_of(expression, engine).astype(np.float64) for engine in ENGINES)
    room = 2 * np.finfo(dtype).eps * max(abs(start), abs(start + step * count))
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=room)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    STARTS,
    STARTS,
    st.integers(0, 120),
    st.sampled_from(["float32", "float64", "float16", "int64"]),
)
def test_every_bit_of_linspace(start: float, end: float, count: int, dtype: str) -> None:
    # steps of less than a last bit hang on whether a product is rounded before it is added
    assume(start == end or abs(end - start) > 1e-9 * max(abs(start), abs(end)))
    assert_same_bits(f"torch.linspace({start}, {end}, {count}, dtype=torch.{dtype})")


def test_like_keeps_the_order_of_the_memory() -> None:
    for name in ("zeros_like", "ones_like", "rand_like", "randn_like", "empty_like"):
        for array in (np.zeros((2, 3), np.float32).T, np.zeros((2, 3, 4), np.float32).transpose(1, 2, 0)[:, ::2]):
            theirs = getattr(torch, name)(torch.from_numpy(array))
            mine = getattr(creation, name)(minigrad.Tensor._of(array))
            assert mine._array.strides == tuple(4 * step for step in theirs.stride())


def test_no_two_tensors_share_their_memory() -> None:
    names = "zeros(3)", "ones(3)", "full((3,), 2.)", "arange(3)", "linspace(0, 1, 3)", "rand(3)", "tensor([1., 2., 3.])"
    for first, second in itertools.product(names, names):
        a, b = (eval(f"minigrad.{name}") for name in (first, second))
        assert not np.shares_memory(a._array, b._array)
