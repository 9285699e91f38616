"""torch's random numbers: from the same seed, the same numbers as torch draws on the CPU, bit for bit.

Everything comes from one stream of 32-bit words, the Mersenne twister. What a call takes from the stream, and in
which order, decides what the next call gets, so every rule below is torch's:

    uniform float32    one word, its low 24 bits · 2⁻²⁴
    uniform float64    two words, the low 53 bits of the pair · 2⁻⁵³
    integers           one word modulo the span, two words if the span is 2²⁸ or more
    normal, up to 15   pairs by Box and Muller from float64 uniforms; an odd one out is kept for the next call
    normal, 16 or more blocks of 16 by Box and Muller from uniforms of the dtype; a ragged end is drawn again

Mirrors https://docs.pytorch.org/docs/stable/random.html and
https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.device import CPU, demand_cpu
from minigrad.compat.typenames import name_of_type
from minigrad.tensor import Tensor

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

F32, F64 = np.float32, np.float64


WORDS = 624  # the twister makes its words in batches of this many

# What `get_state` gives, byte by byte as in torch.
STATE = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),  # words left in the batch, plus one
        ("seeded", "<i4"),
        ("next", "<u8"),  # the next word of the batch
        ("words", "<u8", WORDS),
        ("unused", "<f8"),
        ("kept_normal", "<f8"),
        ("unused_too", "<f8"),
        ("has_kept_normal", "<i4"),
        ("zeros", "u1", 12),
    ]
)


class Generator:
    """A stream of random numbers with a seed and a state of its own. RuntimeError where the seed is no integer,
    ValueError outside −2⁶³ … 2⁶⁴−1.
    """

    def __init__(self, device: Any = None) -> None:
        demand_cpu(device, "Generator")
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int, /) -> Generator:
        """Begin the stream of `seed`. Only the seed modulo 2³² matters."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {name_of_type(seed)}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._twister: Any = None
        self._untouched = True
        self._kept_normal: float | None = None
        return self

    @property
    def device(self) -> Any:
        """The CPU."""
        return CPU

    def seed(self) -> int:
        """Begin a stream that nobody can foresee, and tell its seed."""
        return self.manual_seed(int.from_bytes(os.urandom(8), "little")).initial_seed()

    def initial_seed(self) -> int:
        """The seed of the stream, as a number from 0 to 2⁶⁴−1."""
        return self._seed

    def get_state(self) -> Tensor:
        """Where the stream is, as 5056 bytes: a uint8 tensor, equal to torch's."""
        _, words, position, *_ = self._stream().get_state()
        state = np.zeros((), STATE)
        state["seed"], state["seeded"], state["words"] = self._seed, 1, words
        state["left"], state["next"] = (1, 0) if self._untouched else (WORDS + 1 - position, position)
        if self._kept_normal is not None:
            state["kept_normal"], state["has_kept_normal"] = self._kept_normal, 1
        return Tensor._of(np.frombuffer(state.tobytes(), np.uint8).copy())

    def set_state(self, new_state: Tensor, /) -> Generator:
        """Go back to a state. TypeError unless it is a uint8 tensor, RuntimeError unless it holds a state."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {name_of_type(new_state)}")
        if new_state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state.numel() != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size "
                f"to be {new_state.numel()}"
            )
        state = np.frombuffer(np.asarray(new_state._array).tobytes(), STATE)[0]
        if state["seeded"] != 1 or not 1 <= state["left"] <= WORDS or state["next"] > WORDS:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(state["seed"])
        self._untouched = bool(state["left"] == 1 and state["next"] == 0)
        position = WORDS if self._untouched else int(state["next"])
        self._stream().set_state(("MT19937", state["words"].astype(np.uint32), position))
        self._kept_normal = float(state["kept_normal"]) if state["has_kept_normal"] else None
        return self

    def clone_state(self) -> Generator:
        """Another generator at the same place of the same stream."""
        return Generator().set_state(self.get_state())

    def _stream(self) -> Any:
        """The twister, made when it is needed: `numpy.random` takes longer to load than the rest of minigrad."""
        if self._twister is None:
            self._twister = np.random.RandomState(self._seed % 2**32)
        return self._twister

    def words(self, count: int) -> np.ndarray:
        """The next `count` words of the stream, uint32."""
        self._untouched = self._untouched and not count
        return self._stream().randint(0, 2**32, count, np.uint32)

    def long_words(self, count: int) -> np.ndarray:
        """`count` words of 64 bits; each is two of the stream, the high half first."""
        halves = self.words(2 * count).astype(np.uint64)
        return (halves[0::2] << np.uint64(32)) | halves[1::2]

    def floats(self, count: int) -> np.ndarray:
        """Uniform float32 numbers from [0, 1)."""
        return (self.words(count) & np.uint32(2**24 - 1)).astype(F32) * F32(2.0**-24)

    def doubles(self, count: int) -> np.ndarray:
        """Uniform float64 numbers from [0, 1)."""
        return (self.long_words(count) & np.uint64(2**53 - 1)).astype(F64) * 2.0**-53

    def normals(self, count: int) -> np.ndarray:
        """Standard normal float64 numbers, two from every pair of uniforms; the second may wait for the next call."""
        found: list[float] = []
        if self._kept_normal is not None and count:
            found.append(self._kept_normal)
            self._kept_normal = None
        uniforms = iter(self.doubles((count - len(found) + 1) // 2 * 2).tolist())
        for u1, u2 in zip(uniforms, uniforms, strict=True):
            radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            found += radius * math.cos(angle), radius * math.sin(angle)
        if len(found) > count:
            self._kept_normal = found.pop()
        return np.array(found, F64)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def manual_seed(seed: Any) -> Generator:
    """Begin the stream of `seed` (anything that `int` takes) in the default generator, which is returned. ValueError
    outside −2⁶³ … 2⁶⁴−1.
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Begin an unforeseeable stream in the default generator; the seed is returned."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator began with."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor of 5056 entries."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Take the default generator back to a state. TypeError or RuntimeError for what is no state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """What is drawn in the block leaves the default generator as it was before."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


def uniform(count: int, dtype: np.dtype, low: float, high: float, generator: Generator) -> np.ndarray:
    """low + u · (high − low), rounded once; what rounds up to `high` becomes `low`."""
    real, multiply_add = (F64, fused) if dtype == F64 else (F32, fused32)
    values: np.ndarray = generator.doubles(count) if real is F64 else generator.floats(count)
    bottom, top = real(low), real(high)
    if (low, high) != (0, 1):
        values = multiply_add(values, top - bottom, bottom)
    values = values.astype(dtype, copy=False)
    values[values == dtype.type(top)] = bottom
    return values


def normal(count: int, dtype: np.dtype, mean: float, std: float, generator: Generator, blocks: bool) -> np.ndarray:
    """mean + std · z for standard normal z, rounded once. `blocks` says that the memory to be filled has no gaps."""
    if count < 16 or not blocks:
        return fused(generator.normals(count), std, mean).astype(F32 if dtype != F64 else F64).astype(dtype)
    if dtype == F64:
        draw: Callable[[int], np.ndarray] = generator.doubles
        turn, scale = block_normals, lambda z: fused(z, std, mean)
    else:
        draw, turn, scale = generator.floats, block_normals32, lambda z: fused32(z, F32(std), F32(mean))
    whole = count // 16 * 16
    values = draw(whole if dtype == np.float16 else count)  # half precision leaves the ragged end out
    values = np.concatenate([turn(values[:whole]), np.empty(count - whole, values.dtype)])
    if count % 16:
        values[-16:] = turn(draw(16))  # not the rest alone: up to 15 numbers are drawn a second time
    return scale(values).astype(dtype)


def integers(count: int, dtype: np.dtype, low: int, high: int, generator: Generator, short: bool = False) -> np.ndarray:
    """Integers from low to high − 1, cast to the dtype. `short` takes one word for each, however large the span."""
    span = high - low
    words = generator.words(count).astype(np.uint64) if short or span < 2**28 else generator.long_words(count)
    if span == 2**64:  # every word is an integer as it stands
        return words.view(np.int64).astype(dtype)
    return (words % np.uint64(span) + np.uint64(low % 2**64)).view(np.int64).astype(dtype)


def permutation(count: int, generator: Generator) -> list[int]:
    """0 … count − 1, each place in turn swapped with a later one, or left."""
    order = list(range(count))
    if count:
        steps = generator.words(count - 1) % np.arange(count, 1, -1).astype(np.uint32)
        for place, step in enumerate(steps.tolist()):
            other = place + step
            order[place], order[other] = order[other], order[place]
    return order


def coins(probabilities: np.ndarray, generator: Generator) -> np.ndarray:
    """True with the probability given for each coin; float64 probabilities meet float64 numbers."""
    draw = generator.doubles if probabilities.dtype == F64 else generator.floats
    return draw(probabilities.size) < probabilities


def dropout_mask(input: Tensor, p: float, generator: Generator | None = None) -> np.ndarray:
    """What `dropout` multiplies an input with: 0 with probability p, else 1 / (1 − p); shape and dtype of the input."""
    array = np.asarray(input._array)
    if p in (0, 1):  # nothing is drawn
        return np.full_like(array, 1 - p)
    kept = coins(np.full(array.size, 1 - p), generator or default_generator)
    return along_memory(kept.astype(array.dtype) * array.dtype.type(1 / (1 - p)), array)


def along_memory(values: np.ndarray, array: np.ndarray) -> np.ndarray:
    """The values in the shape of `array`, one after the other as its entries lie in memory."""
    axes = outer_to_inner(array)
    return values.reshape([array.shape[axis] for axis in axes]).transpose(np.argsort(axes))


def outer_to_inner(array: np.ndarray) -> list[int]:
    """The axes by falling step in memory. An axis that repeats its entries (step 0) stays where it stands."""
    axes = list(range(array.ndim))
    for last in range(array.ndim - 2, -1, -1):
        here = last
        for there in range(last + 1, array.ndim):
            outer, inner = ((array.strides[axes[each]], array.shape[axes[each]]) for each in (here, there))
            if 0 in (outer[0], inner[0]):
                continue
            if outer[0] > inner[0]:
                break
            if outer < inner:
                axes[here], axes[there] = axes[there], axes[here]
                here = there
    return axes


def fused32(a: Any, b: Any, c: Any) -> np.ndarray:
    """a · b + c in float32, rounded once. float64 holds the product of two float32 numbers exactly. Its sum with c is
    rounded twice, which is seen only where the first rounding has led exactly between two float32 numbers.
    """
    product = np.multiply(a, b, dtype=F64)
    total = product + c
    between = total.view(np.int64) & (2**29 - 1) == 2**28
    if between.any():
        total[between] = sum_to_odd(product[between], np.broadcast_to(np.asarray(c, F64), total.shape)[between])
    return total.astype(F32)


def fused(a: np.ndarray, b: Any, c: Any) -> np.ndarray:
    """a · b + c in float64, rounded once, as a processor's fused multiply-add does it."""
    plain = a * b + c
    if np.all(b == 1) or np.all(c == 0):
        return plain  # one operation, so one rounding
    with np.errstate(all="ignore"):
        product, low = exact_product(a, b)
        head, tail = exact_sum(c, low)
        top, rest = exact_sum(product, head)
        result = top + sum_to_odd(rest, tail)
    return np.where(np.isfinite(result), result, plain)


def sum_to_odd(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a + b in float64, where an inexact sum has its last bit made odd. A later rounding to fewer bits then sees on
    which side of it the exact sum lies: twice rounded is as good as once.
    """
    total, lost = exact_sum(a, b)
    bits = total.view(np.int64)
    inexact = (lost != 0) & (bits % 2 == 0)
    bits += np.where(inexact, np.where((lost > 0) == (total > 0), 1, -1), 0)
    return total


def exact_sum(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """a + b as the rounded sum and what rounding took away."""
    total = np.add(a, b)
    share = total - a
    return total, (a - (total - share)) + (b - share)


def exact_product(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """a · b as the rounded product and what rounding took away."""
    total = np.multiply(a, b)
    a_high, b_high = upper_half(a), upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return total, ((a_high * b_high - total) + a_high * b_low + a_low * b_high) + a_low * b_low


def upper_half(a: Any) -> Any:
    """The upper 26 bits of a float64 number; products of such halves are exact."""
    shifted = a * (2.0**27 + 1)
    return shifted - (shifted - a)


def block_normals(uniforms: np.ndarray) -> np.ndarray:
    """Standard normal float64 numbers from uniform ones, 16 by 16: 8 radii, 8 angles, then 8 cosines, 8 sines."""
    u1, u2 = np.moveaxis(uniforms.reshape(-1, 2, 8), 1, 0)
    log, cos, sin = math.log, math.cos, math.sin  # the C library's: numpy's own differ in the last bit
    radius = np.sqrt([-2.0 * log(1.0 - u) for u in u1.ravel().tolist()])
    angle = (2.0 * math.pi * u2).ravel().tolist()
    halves = [radius * [cos(x) for x in angle], radius * [sin(x) for x in angle]]
    return np.stack([half.reshape(-1, 8) for half in halves], axis=1).ravel()


# Polynomials of the Cephes library for log(1 + x), sin x and cos x in float32, the highest power first.
LOG = [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1]
LOG += [-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1]
SINE = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1]
COSINE = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2]


def block_normals32(uniforms: np.ndarray) -> np.ndarray:
    """The same in float32, with the logarithm, sine and cosine of torch's build for processors with AVX2."""
    u1, u2 = np.moveaxis(uniforms.reshape(-1, 2, 8), 1, 0)
    radius = np.sqrt(F32(-2) * log32(F32(1) - u1))
    sine, cosine = sine_and_cosine32(F32(2 * math.pi) * u2)
    return np.stack([radius * cosine, radius * sine], axis=1).ravel()


def log32(x: np.ndarray) -> np.ndarray:
    """log x for float32 x in (0, 1]: x = m · 2^e with m near 1, then log m + e · log 2 in two parts."""
    m, e = np.frexp(x)
    below = m < F32(math.sqrt(0.5))
    m, e = np.where(below, m + m, m) - F32(1), (e - below).astype(F32)
    square = m * m
    y = fused32(polynomial(LOG, m) * m, square, e * F32(-2.12194440e-4))
    return fused32(e, F32(0.693359375), m + fused32(square, F32(-0.5), y))


def sine_and_cosine32(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """sin x and cos x for float32 x ≥ 0: x less a multiple of π/4, then whichever polynomial belongs to the octant."""
    octant = ((x * F32(4 / math.pi)).astype(np.int32) + 1) & ~1
    for part in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8):  # −π/4 in three parts
        x = fused32(octant.astype(F32), F32(part), x)
    square = x * x
    cosine = fused32(polynomial(COSINE, square) * square, square, square * F32(-0.5)) + F32(1)
    sine = fused32(polynomial(SINE, square) * square, x, x)
    swapped = (octant & 2) != 0
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant & 4, -sine, sine), np.where((octant - 2) & 4, cosine, -cosine)


def polynomial(coefficients: Sequence[float], x: np.ndarray) -> np.ndarray:
    """The polynomial at x by Horner's rule, every step rounded once."""
    first, *others = coefficients
    y = np.full_like(x, first)
    for each in others:
        y = fused32(y, x, F32(each))
    return y


default_generator = Generator()
default_generator.seed()
