"""torch's random numbers: the same seed gives the same numbers as torch on the CPU, bit for bit.

Everything comes from one stream of 32-bit words, the Mersenne twister. What a call takes from the stream, and in
which order, decides what the next call gets, so every rule below is torch's:

    uniform float32    one word, its low 24 bits · 2⁻²⁴
    uniform float64    two words, the low 53 bits of the pair · 2⁻⁵³
    integers           one word modulo the span, two words if the span is 2²⁸ or more
    normal, up to 15   pairs by Box and Muller from float64 uniforms; an odd one out is kept for the next call
    normal, 16 or more blocks of 16 by Box and Muller from uniforms of the dtype; a ragged end is drawn again

Mirrors https://docs.pytorch.org/docs/stable/random.html
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.arithmetic.numerics import F32, F64, block_normals, block_normals32, fused, fused32
from minigrad.compat import dtypes
from minigrad.compat.device import CPU, demand_cpu
from minigrad.compat.typenames import demand_kernel, name_of_type
from minigrad.graph import array_ops
from minigrad.tensor import Tensor

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

WORDS = 624  # the twister makes words in batches of this size
CACHED = 65_536  # so many numbers and what is made of them stay near the processor

# The bytes of `get_state`, as in torch; `left` is the number of words left in the batch, plus one.
FIELDS = "seed left seeded next words unused kept_normal unused_too has_kept_normal zeros"
KINDS = ["<u8", "<i4", "<i4", "<u8", ("<u8", WORDS), "<f8", "<f8", "<f8", "<i4", ("u1", 12)]
STATE = np.dtype(list(zip(FIELDS.split(), KINDS, strict=True)))
refused = ""  # why no random numbers may be drawn now


def refuse(text: str) -> None:
    """From now on drawing random numbers is a RuntimeError with this text; "" allows it again."""
    global refused
    refused = text


class Generator:
    """A stream of random numbers with its own seed and state. RuntimeError or ValueError for an invalid seed."""

    device = CPU

    def __init__(self, device: object = None) -> None:
        demand_cpu(device, "Generator")
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int, /) -> Generator:
        """Begin the stream of `seed` in the default generator, which is returned. ValueError outside −2⁶³ … 2⁶⁴−1."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {name_of_type(seed)}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._twister: Any = None
        self._untouched = True
        self._kept_normal: float | None = None
        return self

    def seed(self) -> int:
        """Start an unpredictable stream, and return its seed."""
        return self.manual_seed(int.from_bytes(os.urandom(8), "little")).initial_seed()

    def initial_seed(self) -> int:
        """The seed of the stream, as a number from 0 to 2⁶⁴−1."""
        return self._seed

    def get_state(self) -> Tensor:
        """The state of the stream as 5056 bytes: a uint8 tensor, equal to torch's."""
        _, words, position, *_ = self._stream().get_state()
        state = np.zeros((), STATE)
        state["seed"], state["seeded"], state["words"] = self._seed, 1, words
        state["left"], state["next"] = (1, 0) if self._untouched else (WORDS + 1 - position, position)
        if self._kept_normal is not None:
            state["kept_normal"], state["has_kept_normal"] = self._kept_normal, 1
        return Tensor._of(np.frombuffer(state.tobytes(), np.uint8).copy())

    def set_state(self, new_state: Tensor, /) -> Generator:
        """Go back to a state. TypeError unless it is a uint8 tensor, RuntimeError unless it holds a state."""
        if not isinstance(new_state, Tensor) or new_state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        content = np.asarray(new_state._array).tobytes()
        state = np.frombuffer(content, STATE)[0] if len(content) == STATE.itemsize else None
        if state is None or state["seeded"] != 1 or not 1 <= state["left"] <= WORDS or state["next"] > WORDS:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(state["seed"])
        self._untouched = bool(state["left"] == 1 and state["next"] == 0)
        position = WORDS if self._untouched else int(state["next"])
        self._stream().set_state(("MT19937", state["words"].astype(np.uint32), position))
        self._kept_normal = float(state["kept_normal"]) if state["has_kept_normal"] else None
        return self

    def _stream(self) -> Any:
        """The twister, created on first use: `numpy.random` takes longer to load than the rest of minigrad."""
        if self._twister is None:
            self._twister = np.random.RandomState(self._seed % 2**32)
        return self._twister

    def words(self, count: int) -> np.ndarray:
        """The next `count` words of the stream, uint32. RuntimeError where `refuse` forbids it."""
        if refused:
            raise RuntimeError(refused)
        self._untouched = self._untouched and not count
        return self._stream().randint(0, 2**32, count, np.uint32)

    def long_words(self, count: int) -> np.ndarray:
        """`count` words of 64 bits; each is two of the stream, the high half first."""
        halves = self.words(2 * count).astype(np.uint64)
        return (halves[0::2] << np.uint64(32)) | halves[1::2]

    def floats(self, count: int) -> np.ndarray:
        """Uniform float32 numbers from [0, 1)."""
        words = self.words(count)
        words &= np.uint32(2**24 - 1)
        values = words.astype(F32)
        values *= F32(2.0**-24)
        return values

    def doubles(self, count: int) -> np.ndarray:
        """Uniform float64 numbers from [0, 1)."""
        return (self.long_words(count) & np.uint64(2**53 - 1)).astype(F64) * 2.0**-53

    def normals(self, count: int) -> np.ndarray:
        """Standard normal float64 numbers, two from every pair of uniforms; the second may wait for the next call."""
        result: list[float] = []
        if self._kept_normal is not None and count:
            result.append(self._kept_normal)
            self._kept_normal = None
        uniforms = iter(self.doubles((count - len(result) + 1) // 2 * 2).tolist())
        for u1, u2 in zip(uniforms, uniforms, strict=True):
            radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            result += radius * math.cos(angle), radius * math.sin(angle)
        if len(result) > count:
            self._kept_normal = result.pop()
        return np.array(result, F64)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def manual_seed(seed: Any) -> Generator:
    """Begin the stream of `seed` in the default generator, which is returned. ValueError outside −2⁶³ … 2⁶⁴−1."""
    return default_generator.manual_seed(int(seed))


def set_rng_state(new_state: Tensor) -> None:
    """Restore the default generator to a state. TypeError or RuntimeError for an invalid state."""
    default_generator.set_state(new_state)


def uniform(memory: np.ndarray, low: float, high: float, generator: Generator) -> np.ndarray:
    """low + u · (high − low) for each entry, rounded once; `high` becomes `low`. RuntimeError for wrong bounds."""
    dtype = dtypes.of_array(memory)
    demand_kernel("check_uniform_bounds", dtype)
    largest = float(np.finfo(dtype.numpy).max)
    for name, bound in (("from", low), ("to", high), ("to - from", high - low)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    real, multiply_add = (F64, fused) if dtype is dtypes.float64 else (F32, fused32)
    values: np.ndarray = generator.doubles(memory.size) if real is F64 else generator.floats(memory.size)
    bottom, top = real(low), real(high)
    if (low, high) != (0, 1):
        values = multiply_add(values, top - bottom, bottom)
    values = values.astype(memory.dtype, copy=False)
    values[values == memory.dtype.type(top)] = bottom
    return along_memory(values, memory)


def normal(memory: np.ndarray, mean: float, std: float, generator: Generator) -> np.ndarray:
    """mean + std · z for each entry of `memory`, rounded once; z is standard normal. RuntimeError for std < 0."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    dtype, count = memory.dtype, memory.size
    demand_kernel("normal_kernel_cpu", dtypes.of_array(memory))
    if count < 16 or not memory.flags.c_contiguous:
        values = fused(generator.normals(count), std, mean).astype(F32 if dtype != F64 else F64)
        return along_memory(values.astype(dtype), memory)
    scale: Callable[[np.ndarray], np.ndarray]
    if dtype == F64:
        draw: Callable[[int], np.ndarray] = generator.doubles
        turn, scale = block_normals, lambda z: fused(z, std, mean)
    else:
        draw, turn = generator.floats, block_normals32
        scale = (lambda z: z) if (std, mean) == (1, 0) else lambda z: fused32(z, F32(std), F32(mean))
    whole, values = count // 16 * 16, np.empty(count, dtype)
    for first in range(0, whole, CACHED):
        last = min(first + CACHED, whole)
        values[first:last] = scale(turn(draw(last - first)))
    if count > whole:
        if dtype != np.float16:  # half precision leaves the ragged end out
            draw(count - whole)
        # not the rest alone: up to 15 numbers are drawn a second time
        values[-16:] = scale(turn(draw(16)))
    return along_memory(values, memory)


def integers(memory: np.ndarray, low: int, high: int, generator: Generator, short: bool = False) -> np.ndarray:
    """Integers from low to high − 1 for each entry. `short` takes one word for each, however large the span."""
    span, count = high - low, memory.size
    words = generator.words(count).astype(np.uint64) if short or span < 2**28 else generator.long_words(count)
    if span < 2**64:  # otherwise every word is already the integer
        words = words % np.uint64(span) + np.uint64(low % 2**64)
    return along_memory(words.view(np.int64).astype(memory.dtype), memory)


def integer_limits(dtype: dtypes.dtype) -> tuple[int, int]:
    """The least integer to draw, and one more than the largest: for floating dtypes, those without gaps between."""
    if dtype.is_floating_point:
        last = 2 ** (np.finfo(dtype.numpy).nmant + 1)
        return -last, last + 1
    return (0, 2) if dtype.kind == dtypes.BOOL else (np.iinfo(dtype.numpy).min, int(np.iinfo(dtype.numpy).max) + 1)


def demand_integers(dtype: dtypes.dtype, low: int, high: int) -> None:
    """RuntimeError for an empty range, or one the dtype cannot hold; NotImplementedError if it has gaps there."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    least, end = integer_limits(dtype)
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound < end:
            if dtype.is_floating_point:
                raise NotImplementedError(f"minigrad draws no integers beyond {end - 1} for {dtype}")
            raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")


def permutation(count: int, generator: Generator) -> list[int]:
    """0 … count − 1, each place in turn swapped with a later one, or left."""
    order = list(range(count))
    if count:
        steps = generator.words(count - 1) % np.arange(count, 1, -1).astype(np.uint32)
        for place, step in enumerate(steps.tolist()):
            other = place + step
            order[place], order[other] = order[other], order[place]
    return order


def coins(memory: np.ndarray, p: Tensor | float, generator: Generator) -> np.ndarray:
    """Ones with probability p (a number, or a Tensor to expand), and zeros. RuntimeError for p outside [0, 1]."""
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return along_memory(generator.doubles(memory.size) < p, memory).astype(memory.dtype)
    values = p.detach().expand(memory.shape)._array
    demand_kernel("bernoulli_tensor_cpu_p_", p.dtype)
    if not np.all((values >= 0) & (values <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
            "If so, please report an enhancement request to PyTorch.)"
        )
    drawn = generator.doubles(memory.size) if values.dtype == F64 else generator.floats(memory.size)
    return (along_memory(drawn, memory) < values).astype(memory.dtype)


def choices(weights: np.ndarray, count: int, again: bool, generator: Generator) -> np.ndarray:
    """`count` places of each row of weights, int64; if none may come `again`, those where weight / exponential number
    is largest, as torch has it on processors that are not Intel's. RuntimeError for wrong weights.
    """
    alone = count == 1 or not again
    if not (np.isfinite(weights).all() and weights.min(initial=0) >= 0):
        kind = "= infinity or NaN" if weights.min(initial=0) >= 0 else "< 0"
        by_row = f"invalid multinomial distribution (encountering probability entry {kind})"
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0" if alone else by_row)
    if (weights.sum(-1) == 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if alone:
        waits = -np.log1p(-generator.doubles(weights.size)).astype(weights.dtype).reshape(weights.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.argsort(-(weights / waits), axis=-1, kind="stable")[..., :count]
    real = np.promote_types(F32, weights.dtype)
    rows, sums = [], np.cumsum(weights.reshape(-1, weights.shape[-1]), axis=-1, dtype=real)
    for row in sums:
        row /= row[-1]
        row[-1] = 1
        rows.append(np.searchsorted(row.astype(F64), generator.doubles(count)))
    return np.array(rows, np.int64).reshape(*weights.shape[:-1], count)


def dropout_mask(input: Tensor, p: float, generator: Generator | None = None) -> np.ndarray:
    """The factors of `dropout`: 0 with probability p, else 1 / (1 − p), in the shape and dtype of the input."""
    array = np.asarray(input._array)
    if p in (0, 1):  # nothing is drawn
        return np.full_like(array, 1 - p)
    return coins(array, 1 - p, generator or default_generator) * array.dtype.type(1 / (1 - p))


def along_memory(values: np.ndarray, array: np.ndarray) -> np.ndarray:
    """The values in the shape of `array`, assigned in the order of its entries in memory."""
    axes = array_ops.axes_in_memory(array)
    if axes is None:
        return values.reshape(array.shape)
    return values.reshape([array.shape[axis] for axis in axes]).transpose(np.argsort(axes))


default_generator = Generator()
default_generator.seed()
initial_seed, seed, get_rng_state = default_generator.initial_seed, default_generator.seed, default_generator.get_state
