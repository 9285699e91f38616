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
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.device import CPU, demand_cpu
from minigrad.compat.numerics import F32, F64, block_normals, block_normals32, fused, fused32
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


default_generator = Generator()
default_generator.seed()
