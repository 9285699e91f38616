"""From the same seed both engines draw the same numbers, bit for bit, and leave their generators in the same state."""

import math
import random
import types
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import torch
from engines import ENGINES, each_of

import minigrad
from minigrad import random as ours
from minigrad.arithmetic import numerics
from minigrad.ops import creation
from minigrad.ops.creation import drawing

SEEDS = [0, 1, 42, 2**32 - 1, 2**32, 2**32 + 7, 2**63, 2**64 - 1, -1, -5, -(2**63)]
FLOATS = ["float32", "float64", "float16"]
DTYPES = [*FLOATS, "int64", "int32", "int16", "int8", "uint8", "bool"]
# Without AVX2, torch computes float32 normal numbers in blocks with another library.
VECTORS = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")


def values(line: str, engine: types.ModuleType) -> np.ndarray:
    """What an expression gives, as an array."""
    result = eval(line, {"torch": engine, "np": np})
    return result.detach().numpy() if isinstance(result, torch.Tensor) else np.asarray(result._array)


def assert_same_bits(seed: int, lines: list[str]) -> None:
    """Both engines give the same arrays, one after the other, and are at the same place of the stream afterwards."""
    for engine in ENGINES:
        engine.manual_seed(seed)
    for line in lines:
        theirs, mine = (values(line, engine) for engine in ENGINES)
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape), line
        if mine.tobytes() != theirs.tobytes():
            wrong = np.flatnonzero(mine.ravel() != theirs.ravel())
            raise AssertionError(f"{line}: {len(wrong)} of {mine.size} numbers differ, first at {wrong[:1]}, {lines}")
    assert states_agree(), f"the generators are not at the same place after {lines}"


def states_agree() -> bool:
    theirs, mine = (values("torch.get_rng_state()", engine) for engine in ENGINES)
    return theirs.tobytes() == mine.tobytes()


# --- one call at a time --------------------------------------------------------------------------


@each_of(seed=SEEDS)
def test_every_seed(seed: int) -> None:
    assert_same_bits(seed, ["torch.rand(5)", "torch.randn(3)", "torch.randint(100, (4,))", "torch.randperm(9)"])
    assert minigrad.initial_seed() == torch.initial_seed() == seed % 2**64


@each_of(dtype=FLOATS, call=["rand", "randn"])
def test_every_size(call: str, dtype: str) -> None:
    for size in [*range(50), 100, 623, 624, 625, 1000]:
        if call == "randn" and dtype != "float64" and size >= 16 and not VECTORS:
            continue
        assert_same_bits(size, [f"torch.{call}({size}, dtype=torch.{dtype})"])


@pytest.mark.skipif(not VECTORS, reason="this build of torch has no AVX2, and other logarithms and sines")
def test_many_normal_numbers_in_float32() -> None:
    assert_same_bits(3, ["torch.randn(300_000)", "torch.randn(99_999)", "torch.zeros(5_000).normal_(2, 0.3)"])


def test_normal_numbers_in_float32_are_near_torchs_on_every_machine() -> None:
    drawn = []
    for engine in ENGINES:
        engine.manual_seed(5)
        drawn.append(values("torch.randn(1000)", engine))
    np.testing.assert_allclose(drawn[1], drawn[0], rtol=0, atol=5e-6)


@pytest.mark.parametrize("dtype", FLOATS)
def test_bounds_and_moments(dtype: str) -> None:
    generator = random.Random(7)
    for count in [1, 7, 15] * 12:
        low, std = generator.uniform(-3, 3), generator.uniform(0, 2)
        high = low + generator.choice([0, 2**-23, 0.001, 1, generator.uniform(0, 5)])
        lines = [
            f"torch.zeros({count}, dtype=torch.{dtype}).uniform_({low}, {high})",
            f"torch.zeros({count}, dtype=torch.{dtype}).normal_({low}, {std})",
            f"torch.normal({low}, {std}, ({count},), dtype=torch.{dtype})",
        ]
        if VECTORS or dtype == "float64":
            lines.append(f"torch.zeros(3, 11, dtype=torch.{dtype}).normal_({low}, {std})")
        assert_same_bits(generator.randrange(2**40), lines)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_uniform_number_never_is_the_upper_bound(dtype: str) -> None:
    gap = float(np.finfo(dtype).eps)
    line = f"torch.zeros(1000, dtype=torch.{dtype}).uniform_(1, {1 + gap})"
    assert_same_bits(0, [line, f"torch.rand(5000, dtype=torch.{dtype})"])
    assert (values(line, minigrad) == 1).all()


@each_of(dtype=DTYPES)
def test_integers(dtype: str) -> None:
    limits = (0, 1) if dtype == "bool" else (-(2**10), 2**10)
    if dtype in ("int8", "uint8", "int16", "int32", "int64"):
        info = np.iinfo(dtype)
        limits = int(info.min), int(info.max)
    spans = [(0, 1), (0, 2), limits, (limits[0], limits[0] + 1), (0, limits[1] + 1 if dtype != "int64" else limits[1])]
    if dtype in ("int64", "float64"):
        spans += [(0, 2**28 - 1), (0, 2**28), (-5, 2**33 + 7), (-(2**40), 3)]
    for low, high in spans:
        assert_same_bits(9, [f"torch.randint({low}, {high}, (7,), dtype=torch.{dtype})", "torch.rand(1)"])
    assert_same_bits(4, [f"torch.zeros(9, dtype=torch.{dtype}).random_()", "torch.rand(1)"])
    assert_same_bits(4, [f"torch.zeros(9, dtype=torch.{dtype}).random_(1, None)", "torch.rand(1)"])


@each_of(count=[0, 1, 2, 3, 10, 100, 1000, 20_001])
def test_permutations(count: int) -> None:
    assert_same_bits(count, [f"torch.randperm({count})", "torch.rand(1)"])
    assert_same_bits(count, [f"torch.randperm({min(count, 100)}, dtype=torch.float16)"])


@each_of(dtype=DTYPES)
def test_coins(dtype: str) -> None:
    for p in (0, 0.3, 0.5, 1):
        assert_same_bits(8, [f"torch.zeros(40, dtype=torch.{dtype}).bernoulli_({p})"])
    if dtype in FLOATS:
        probabilities = f"torch.linspace(0, 1, 40, dtype=torch.{dtype})"
        assert_same_bits(8, [f"torch.bernoulli({probabilities})"])
        assert_same_bits(8, [f"torch.zeros(3, 40, dtype=torch.int64).bernoulli_({probabilities})"])


@each_of(dtype=FLOATS, p=[0, 0.1, 0.3, 0.5, 0.9, 1])
def test_the_mask_of_dropout(dtype: str, p: float) -> None:
    for engine in ENGINES:
        engine.manual_seed(6)
    for shape in ("(50,)", "(3, 5)", "()"):
        theirs = torch.nn.functional.dropout(eval(f"torch.ones({shape}, dtype=torch.{dtype})", {"torch": torch}), p)
        mask = ours.dropout_mask(eval(f"torch.ones({shape}, dtype=torch.{dtype})", {"torch": minigrad}), p)
        assert mask.dtype == dtype
        np.testing.assert_array_equal(mask, theirs.numpy())
    assert states_agree()


def test_normal_around_tensors() -> None:
    means, spreads = "torch.linspace(-2, 2, 6)", "torch.linspace(0, 3, 6)"
    lines = [
        f"torch.normal({means})",
        f"torch.normal({means}, 0.7)",
        f"torch.normal(0.3, {spreads})",
        f"torch.normal({means}, {spreads})",
        f"torch.normal({means}, torch.linspace(0, 3, 6, dtype=torch.float64))",
        f"torch.normal({means}, torch.arange(6))",
        "torch.normal(torch.arange(12., dtype=torch.float64), torch.linspace(0, 2, 12, dtype=torch.float64))",
        "torch.normal(torch.zeros(2, 1), torch.ones(3))",
        "torch.normal(torch.zeros(()), torch.ones(2))",
    ]
    assert_same_bits(2, lines)


# --- one call after the other ---------------------------------------------------------------------


def test_the_second_normal_number_waits_for_the_next_call() -> None:
    lines = [
        "torch.randn(3)",
        "torch.rand(2)",
        "torch.randn(20)",
        "torch.randn(2, dtype=torch.float64)",
        "torch.randn(1)",
    ]
    assert_same_bits(0, lines if VECTORS else [line for line in lines if "20" not in line])
    assert_same_bits(0, ["torch.randn(5, 3)", "torch.randn(3)"])


def test_seeding_forgets_the_waiting_number() -> None:
    for engine in ENGINES:
        engine.manual_seed(0)
        values("torch.randn(1)", engine)
    assert_same_bits(1, ["torch.randn(3)"])


# --- order in memory -----------------------------------------------------------------------------


def test_every_order_of_axes() -> None:
    generator = random.Random(1)
    for _ in range(150):
        ndim = generator.randrange(1, 5)
        base = np.zeros([generator.choice([1, 2, 3, 4]) for _ in range(ndim)], np.float32)
        cuts = [generator.choice([slice(None), slice(None, None, 2), slice(0, 2)]) for _ in range(ndim)]
        array = base.transpose(generator.sample(range(ndim), ndim))[tuple(cuts)]
        torch.manual_seed(0)
        theirs = torch.rand_like(torch.from_numpy(array))
        ours.manual_seed(0)
        mine = creation.rand_like(minigrad.Tensor._of(array))._array
        np.testing.assert_array_equal(mine, theirs.numpy())
        assert steps(mine.shape, mine.strides) == steps(mine.shape, [4 * step for step in theirs.stride()])
        torch.from_numpy(array).normal_()
        drawn = array.copy()
        drawing.normal_(minigrad.Tensor._of(array))
        np.testing.assert_array_equal(array, drawn)


def steps(shape: tuple[int, ...], strides: Sequence[int]) -> list[int]:
    """The steps in memory along the axes that have more than one entry."""
    return [step for size, step in zip(shape, strides, strict=True) if size > 1]


# --- generators ----------------------------------------------------------------------------------


def test_the_state_byte_by_byte() -> None:
    for engine in ENGINES:
        engine.manual_seed(-3)
    for line in (
        "torch.rand(0)",
        "torch.rand(1)",
        "torch.randn(1)",
        "torch.rand(622)",
        "torch.rand(620)",
        "torch.randn(2)",
    ):
        for engine in ENGINES:
            values(line, engine)
        assert states_agree(), line


def test_a_state_of_torch_goes_on_in_minigrad_and_back() -> None:
    for seed, line in ((0, "torch.randn(5)"), (1, "torch.rand(624)"), (2, "torch.rand(0)"), (3, "torch.randn(630)")):
        torch.manual_seed(seed)
        values(line, torch)
        ours.set_rng_state(minigrad.Tensor._of(torch.get_rng_state().numpy()))
        assert ours.initial_seed() == seed
        mine = values("torch.randn(7)", minigrad)
        np.testing.assert_array_equal(mine, values("torch.randn(7)", torch))
        torch.set_rng_state(torch.from_numpy(ours.get_rng_state()._array))
        np.testing.assert_array_equal(values("torch.rand(7)", minigrad), values("torch.rand(7)", torch))


def test_no_seed_no_foresight() -> None:
    assert len({ours.Generator().seed() for _ in range(5)}) == 5


# --- the arithmetic ------------------------------------------------------------------------------


def test_fused_multiply_add_is_rounded_once() -> None:
    generator = np.random.default_rng(0)
    a, b, c = generator.normal(size=(3, 3000)) * 2.0 ** generator.integers(-40, 40, (3, 3000))
    c[::2] = -a[::2] * b[::2] * (1 + generator.integers(-3, 4, 1500) * 2.0**-52)  # where the sum cancels
    exact = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(numerics.fused(a, b, c), exact)
    assert (a * b + c != exact).any()
    np.testing.assert_array_equal(numerics.fused(np.array([1.0, 2.0]), math.inf, 1.0), [math.inf, math.inf])
