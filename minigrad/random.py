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

import ast
import contextlib
import functools
import inspect
import math
import operator
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import alike, dtypes, leaf
from minigrad.scalar import Function
from minigrad.tensor import Size, Tensor

__all__ = [
    "Generator",
    "bernoulli",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

F32, F64 = np.float32, np.float64

# --- the generator -------------------------------------------------------------------------------

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
    """A stream of random numbers with a seed and a state of its own.

    RuntimeError where the seed is no integer, ValueError outside −2⁶³ … 2⁶⁴−1.

    >>> a, b = Generator().manual_seed(0), Generator().manual_seed(0)
    >>> a.get_state().tolist() == b.get_state().tolist()
    True
    """

    def __init__(self, device: Any = None) -> None:
        demand_cpu("Generator", device)
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int, /) -> Generator:
        """Begin the stream of `seed`. Only the seed modulo 2³² matters."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type_name(seed)}")
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
        from minigrad.operations import conversion  # here, because it builds on operations that are made later

        return conversion.CPU

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
            raise TypeError(f"expected a torch.ByteTensor, but got {type_name(new_state)}")
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


# --- torch.random --------------------------------------------------------------------------------


def manual_seed(seed: Any) -> Generator:
    """Begin the stream of `seed` (anything that `int` takes) in the default generator, which is returned.

    ValueError outside −2⁶³ … 2⁶⁴−1.

    >>> manual_seed(-1).initial_seed()
    18446744073709551615
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Begin an unforeseeable stream in the default generator; the seed is returned.

    >>> seed() == initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator began with.

    >>> _ = manual_seed(3)
    >>> initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor of 5056 entries.

    >>> get_rng_state().shape
    torch.Size([5056])
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Take the default generator back to a state. TypeError or RuntimeError for what is no state.

    >>> set_rng_state(get_rng_state())
    """
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """What is drawn in the block leaves the default generator as it was before.

    >>> before = get_rng_state().tolist()
    >>> with fork_rng():
    ...     _ = manual_seed(1)
    >>> get_rng_state().tolist() == before
    True
    """
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


# --- what a call draws: arrays with one axis -----------------------------------------------------


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


# --- arithmetic with torch's roundings -----------------------------------------------------------


def fused32(a: Any, b: Any, c: Any) -> np.ndarray:
    """a · b + c in float32, rounded once.

    float64 holds the product of two float32 numbers exactly. Its sum with c is rounded twice, which is seen only
    where the first rounding has led exactly between two float32 numbers.
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
    """a + b in float64, where an inexact sum has its last bit made odd.

    A later rounding to fewer bits then sees on which side of it the exact sum lies: twice rounded is as good as once.
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


# --- arguments, checked in torch's words ---------------------------------------------------------


class Argument(NamedTuple):
    """One argument of a signature, as `int steps` or `torch.dtype dtype = None`."""

    name: str
    kind: str
    required: bool
    default: Any
    nullable: bool  # None may be passed
    keyword_only: bool


class Signature:
    """One way to call a function, in torch's notation: `int n, *, torch.dtype dtype = None`.

    A `?` after a type says that None may be passed; it does not appear in messages.
    """

    def __init__(self, function: str, text: str):
        self.function, self.text = function, f"({text.replace('?', '')})"
        self.arguments: list[Argument] = []
        keyword_only = False
        for piece in text.split(", "):
            if piece == "*":
                keyword_only = True
                continue
            declared, _, default = piece.partition(" = ")
            kind, _, name = declared.rpartition(" ")
            value = ast.literal_eval(default) if default else None
            nullable = kind.endswith("?") or default == "None"
            self.arguments.append(Argument(name, kind.rstrip("?"), not default, value, nullable, keyword_only))
        self.least = sum(each.required for each in self.arguments)
        self.positional = [each for each in self.arguments if not each.keyword_only]
        self.takes_sizes = [each.kind for each in self.positional] == ["tuple of ints"]
        self.demanded = {each.name for each in self.arguments if each.keyword_only and each.required}

    def may_fit(self, args: tuple, kwargs: dict) -> bool:
        """False where a glance at the number of arguments is enough."""
        return self.demanded <= kwargs.keys() and (self.takes_sizes or len(args) <= len(self.positional))

    def bind(self, args: tuple, kwargs: dict) -> dict:
        """The values by name, converted. TypeError, in torch's words, if they do not fit."""
        if self.takes_sizes and args and is_int(args[0]):
            args = (args,)  # zeros(2, 3) is zeros((2, 3))
        if len(args) > len(self.positional):
            raise TypeError(self.too_many(len(args)))
        values = {}
        for place, argument in enumerate(self.arguments):
            name = argument.name
            if place < len(args) and name in kwargs:
                raise TypeError(f"{self.function}() got multiple values for argument '{name}'")
            if place < len(args):
                values[name] = self.checked(argument, args[place], f" (position {place + 1})")
            elif name in kwargs:
                values[name] = self.checked(argument, kwargs[name], "")
            elif argument.required:
                raise TypeError(self.missing(place))
            else:
                values[name] = argument.default
        for name in kwargs:
            if name not in values:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{name}'")
        return values

    def checked(self, argument: Argument, value: Any, position: str) -> Any:
        """The value, if it is of the argument's kind."""
        if value is None and argument.nullable:
            return argument.default
        if KINDS[argument.kind](value):
            return value
        found = f"not {type_name(value)}"
        if argument.kind == "tuple of ints" and isinstance(value, (tuple, list)):
            found = f"but found element of type {type_name(value[0])} at pos 0"
        raise TypeError(f"{self.function}(): argument '{argument.name}'{position} must be {argument.kind}, {found}")

    def too_many(self, count: int) -> str:
        most = len(self.positional)
        accepted = f"from {self.least} to {most}" if self.least != most else str(most)
        ending = "" if accepted == "1" else "s"
        return f"{self.function}() takes {accepted} positional argument{ending} but {count} were given"

    def missing(self, place: int) -> str:
        names = [f'"{each.name}"' for each in self.arguments[place:] if each.required and not each.keyword_only]
        ending = "s" if len(names) == 1 else ""  # torch has it the wrong way round
        return f"{self.function}() missing {len(names)} required positional argument{ending}: {', '.join(names)}"


def accepts(*texts: str, method: bool = False) -> Callable[[Callable], Callable[..., Any]]:
    """Decorator: check a call against torch's signatures, and hand over the values by name.

    What concerns all functions alike is settled here: `out`, `layout`, `device`, `pin_memory` are refused or dropped,
    a dtype may be given as `int`, `float` or `bool`. With `method` the first argument is the tensor itself.
    TypeError, in torch's words, for a call that fits no signature.
    """

    def decorate(function: Callable) -> Callable[..., Any]:
        name = function.__name__
        signatures: list[Signature] = []
        wanted = {each.rstrip("_"): each for each in inspect.signature(function).parameters}  # `from` is `from_` here

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not signatures:  # at the first call: to read all of them would slow the import down
                signatures.extend([Signature(name, text) for text in texts])
            before, given = (args[:1], args[1:]) if method else ((), args)
            values = settled(name, matched(signatures, given, kwargs))
            return function(*before, **{wanted[key]: value for key, value in values.items() if key in wanted})

        return call

    return decorate


def matched(signatures: list[Signature], args: tuple, kwargs: dict) -> dict:
    """The values as the first signature that fits takes them. TypeError, in torch's words, if none does."""
    if len(signatures) == 1:
        return signatures[0].bind(args, kwargs)
    for signature in signatures:
        if signature.may_fit(args, kwargs):
            with contextlib.suppress(TypeError):
                return signature.bind(args, kwargs)
    count = len(args) + len(kwargs)
    plausible = [each for each in signatures if each.least <= count <= len(each.arguments)]
    if len(plausible) == 1:
        plausible[0].bind(args, kwargs)  # says what is wrong
    # torch lists keywords from the last to the first, and leaves a comma behind if there is nothing else
    given = [type_name(each) for each in args] + [f"{key}={type_name(kwargs[key])}" for key in reversed(kwargs)]
    comma = ", " if kwargs and not args else ""
    raise TypeError(
        f"{signatures[0].function}() received an invalid combination of arguments - got "
        f"({', '.join(given)}{comma}), but expected one of:\n"
        + "".join([f" * {signature.text}\n" for signature in signatures])
    )


def settled(function: str, values: dict) -> dict:
    """The values with sizes, numbers and dtypes as Python and minigrad have them; what minigrad lacks is refused."""
    demand_cpu(function, values.get("device"))
    if values.get("pin_memory"):
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
            "available on this system."
        )
    if values.get("out") is not None:
        raise NotImplementedError(f"minigrad has no out=: write t = torch.{function}(...) instead")
    result: dict[str, Any] = {}
    for name, value in values.items():
        if name == "size":
            result[name] = size_of(function, value)
        elif name == "dtype":
            if value is complex:
                raise NotImplementedError("minigrad has no complex numbers")
            result[name] = {int: dtypes.int64, float: dtypes.float64, bool: dtypes.bool_}.get(value, value)
        else:
            result[name] = value
    result["generator"] = values.get("generator") or default_generator
    return result


def size_of(function: str, size: Sequence) -> tuple[int, ...]:
    """The sizes as Python integers. TypeError for one that is none, or is too large for 64 bits."""
    sizes = []
    for place, each in enumerate(size):
        error = f"{function}(): argument 'size' failed to unpack the object at pos {place + 1} with error "
        try:
            sizes.append(operator.index(each))
        except TypeError:
            raise TypeError(f'{error}"type must be tuple of ints,but got {type_name(each)}"') from None
        if abs(sizes[-1]) >= 2**63:
            raise TypeError(f'{error}"Overflow when unpacking long long"')
    return tuple(sizes)


def integer(value: Any) -> int:
    """An `int` argument as a Python integer. ValueError beyond 64 bits."""
    found = operator.index(value)
    if not -(2**63) <= found < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return found


def number(value: Any) -> bool | int | float:
    """A `Number` argument (a Python or numpy number, a tensor without axes) as a Python number."""
    if isinstance(value, Tensor):
        return value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)) and not isinstance(value, float):
        raise NotImplementedError("minigrad has no complex numbers")
    return float(value)


def is_constant(value: Any) -> bool:
    """True for a tensor without axes that needs no gradient: torch takes it where a number is asked for."""
    return isinstance(value, Tensor) and value.ndim == 0 and not value.requires_grad


def is_int(value: Any) -> bool:
    """True for what torch takes as an integer; not for bools."""
    if isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, Tensor):
        return is_constant(value) and value.dtype.kind == dtypes.INTEGER
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


NUMBERS = (bool, int, float, complex, np.number, np.bool_)
FORMATS = ("torch.preserve_format", "torch.contiguous_format")

KINDS: dict[str, Callable[[Any], bool]] = {
    "Number": lambda value: isinstance(value, NUMBERS) or is_constant(value),
    "Tensor": lambda value: isinstance(value, Tensor),
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: isinstance(value, (bool, int, float, np.integer, np.floating)) or is_constant(value),
    "int": is_int,
    "object": lambda value: True,
    "torch.Generator": lambda value: isinstance(value, Generator),
    "torch.device": lambda value: isinstance(value, (str, int)) or type(value).__name__ == "device",
    "torch.dtype": lambda value: isinstance(value, dtypes.dtype) or any(value is each for each in NUMBERS[:4]),
    "torch.layout": lambda value: str(value) == "torch.strided",
    "torch.memory_format": lambda value: str(value) in FORMATS,
    "tuple of ints": lambda value: isinstance(value, (tuple, list)) and (not value or is_int(value[0])),
}


def demand_cpu(function: str, device: Any) -> None:
    """An error for every device but the CPU; TypeError for what is no device."""
    if device is None or device == "cpu":
        return
    if not KINDS["torch.device"](device):
        raise TypeError(f"{function}(): argument 'device' must be torch.device, not {type_name(device)}")
    from minigrad.operations import conversion  # here, because it builds on operations that are made later

    conversion.demand_cpu(device)


def type_name(value: Any) -> str:
    """The name that torch gives to the type of a value: `int`, `numpy.ndarray`, `torch.dtype`."""
    kind = type(value)
    known = {dtypes.dtype: "torch.dtype", Generator: "torch._C.Generator", Size: "torch.Size"}
    if kind.__module__.partition(".")[0] == "numpy":
        return f"{kind.__module__}.{kind.__name__}"
    return known.get(kind, kind.__name__)


# --- filling a tensor in place -------------------------------------------------------------------


class Refill(Function, name="UniformBackward0"):
    """New values in the place of the old ones: no gradient reaches what was there."""

    __slots__ = ()

    promotes = False

    @staticmethod
    def forward(ctx: Any, *inputs: Any, draw: Callable[[], np.ndarray]) -> Any:  # type: ignore[override]
        return draw()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return tuple([alike.zeros(ctx.shape, ctx.dtype, grad_output) for _ in ctx.needs_input_grad])


class Normal(Refill, name="NormalBackward0"):
    """What `normal_` leaves behind."""

    __slots__ = ()


class Bernoulli(Refill, name="BernoulliBackward0"):
    """What `bernoulli` makes of probabilities."""

    __slots__ = ()


class BernoulliOfTensor(Refill, name="BernoulliBackward1"):
    """What `bernoulli_` leaves behind, with a tensor of probabilities."""

    __slots__ = ()


class BernoulliOfNumber(Refill, name="BernoulliBackward2"):
    """What `bernoulli_` leaves behind, with one probability."""

    __slots__ = ()


class RandomFromTo(Refill, name="RandomBackward0"):
    """What `random_(from, to)` leaves behind."""

    __slots__ = ()


class RandomTo(Refill, name="RandomBackward1"):
    """What `random_(to)` leaves behind."""

    __slots__ = ()


class RandomOfAll(Refill, name="RandomBackward2"):
    """What `random_()` leaves behind."""

    __slots__ = ()


GENERATOR = "torch.Generator generator = None"


@accepts(f"float from = 0, float to = 1, *, {GENERATOR}", method=True)
def uniform_(tensor: Tensor, from_: float, to: float, *, generator: Generator) -> Tensor:
    """Fill a floating tensor with uniform numbers from [from, to), in place.

    RuntimeError where the bounds do not fit, NotImplementedError for integers.

    >>> uniform_(Tensor([0., 0.]), 2, 2)
    tensor([2., 2.])
    """
    low, high = float(from_), float(to)

    def draw() -> np.ndarray:
        demand_uniform_bounds(tensor.dtype, low, high)
        return along_memory(uniform(tensor.numel(), tensor.dtype.numpy, low, high, generator), tensor._memory())

    return leaf.change(tensor, Refill.apply, draw=draw)


@accepts(f"float mean = 0, float std = 1, *, {GENERATOR}", method=True)
def normal_(tensor: Tensor, mean: float, std: float, *, generator: Generator) -> Tensor:
    """Fill a floating tensor with normal numbers, in place. RuntimeError for std < 0.

    >>> normal_(Tensor([0., 0.]), 3, 0)
    tensor([3., 3.])
    """
    mean, std = float(mean), float(std)
    return leaf.change(tensor, Normal.apply, draw=lambda: normal_like(tensor._memory(), mean, std, generator))


@accepts(f"Tensor p, *, {GENERATOR}", f"float p = 0.5, *, {GENERATOR}", method=True)
def bernoulli_(tensor: Tensor, p: Any, *, generator: Generator) -> Tensor:
    """Fill a tensor with ones, with probability p (a number, or a tensor that can be expanded), and zeros, in place.

    RuntimeError for a probability outside [0, 1].

    >>> bernoulli_(Tensor([0., 0.]), 1.0)
    tensor([1., 1.])
    """
    memory = tensor._memory()
    if isinstance(p, Tensor):
        return leaf.change(tensor, BernoulliOfTensor.apply, p, draw=lambda: coins_like(memory, p, generator))
    p = float(p)
    return leaf.change(tensor, BernoulliOfNumber.apply, draw=lambda: coins_like(memory, p, generator))


@accepts(
    f"*, {GENERATOR}",
    f"int from, int? to, *, {GENERATOR}",
    f"int to, *, {GENERATOR}",
    method=True,
)
def random_(tensor: Tensor, from_: Any = None, to: Any = None, *, generator: Generator) -> Tensor:
    """Fill a tensor with integers in place: from `from` (0 if left out) to `to` − 1 (or to the largest of the dtype).

    RuntimeError for an empty range, or one that the dtype cannot hold.

    >>> random_(Tensor([0., 0.]), 1)
    tensor([0., 0.])
    """
    dtype, memory = tensor.dtype, tensor._memory()
    if from_ is None and to is None:
        node: type[Refill] = RandomOfAll
        low, high = 0, beyond(dtype)
    else:
        node = RandomTo if from_ is None else RandomFromTo
        low, high = 0 if from_ is None else integer(from_), beyond(dtype) if to is None else integer(to)
        if to is not None:
            low, high = integer_bounds(dtype, low, high)
    short = node is RandomOfAll and dtype not in (dtypes.int64, dtypes.float64)
    return leaf.change(
        tensor,
        node.apply,
        draw=lambda: along_memory(integers(memory.size, memory.dtype, low, high, generator, short), memory),
    )


@accepts(f"Tensor input, *, {GENERATOR}, Tensor out = None", f"Tensor input, float p, *, {GENERATOR}")
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator) -> Tensor:
    """Ones, each with the probability that stands at its place in `input` (or with p), and zeros; the dtype of `input`.

    RuntimeError for a probability outside [0, 1].

    >>> bernoulli(Tensor([0., 1., 1.]))
    tensor([0., 1., 1.])
    """
    if p is not None:
        if input.requires_grad and leaf.is_grad_enabled():
            raise NotImplementedError("minigrad does not record bernoulli(input, p): pass input.detach()")
        return Tensor._of(coins_like(np.empty_like(input._array), float(p), generator))
    memory = np.empty(input.shape, input.dtype.numpy)
    return Bernoulli.apply(input, draw=lambda: coins_like(memory, input, generator))


METHODS = {
    "bernoulli": bernoulli,
    "bernoulli_": bernoulli_,
    "normal_": normal_,
    "random_": random_,
    "uniform_": uniform_,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)


def normal_like(memory: np.ndarray, mean: float, std: float, generator: Generator) -> np.ndarray:
    """Normal numbers for an array of this shape, dtype and order in memory."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if memory.size:
        demand_floating("normal_kernel_cpu", dtypes.of_array(memory))
    values = normal(memory.size, memory.dtype, mean, std, generator, memory.flags.c_contiguous)
    return along_memory(values, memory)


def coins_like(memory: np.ndarray, p: Any, generator: Generator) -> np.ndarray:
    """Ones with probability p, and zeros, for an array of this shape, dtype and order in memory."""
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return along_memory(coins(np.full(memory.size, p), generator), memory).astype(memory.dtype)
    p = p.detach().expand(memory.shape)
    demand_floating("bernoulli_tensor_cpu_p_", p.dtype)
    values = p._array
    if not np.all((values >= 0) & (values <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
            "If so, please report an enhancement request to PyTorch.)"
        )
    places = along_memory(np.arange(memory.size), memory)
    in_order = np.empty(memory.size, values.dtype)
    in_order[places] = values
    return coins(in_order, generator)[places].astype(memory.dtype)


def demand_floating(kernel: str, dtype: dtypes.dtype) -> None:
    """NotImplementedError, in torch's words, for integers and bools."""
    if not dtype.is_floating_point:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.scalar_type}'")


def demand_uniform_bounds(dtype: dtypes.dtype, low: float, high: float) -> None:
    """RuntimeError, in torch's words, unless low ≤ high, and both and their difference are finite in the dtype."""
    demand_floating("check_uniform_bounds", dtype)
    largest = float(np.finfo(dtype.numpy).max)
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{dtype.scalar_type}>::max(), but found to={high:g} "
            f"and from={low:g} which result in to-from to exceed the limit"
        )


def integer_bounds(dtype: dtypes.dtype, low: int, high: int) -> tuple[int, int]:
    """The range to draw from, where no number becomes `high` by rounding. RuntimeError if the dtype has no room."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if not dtype.is_floating_point:
        least = 0 if dtype.kind == dtypes.BOOL else np.iinfo(dtype.numpy).min
        for name, bound in (("from", low), ("to - 1", high - 1)):
            if not least <= bound < beyond(dtype):
                raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
        return low, high
    largest, digits = float(np.finfo(dtype.numpy).max), np.finfo(dtype.numpy).nmant + 1
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
    low, high = _without_rounding(low, high, dtype, digits)
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
            f"from={low} >= to={high}"
        )
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > 2**digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{dtype.cpp_name} can support discrete uniform distribution only within this range. This warning "
                "will become an error in version 1.7 release, please fix the code in advance",
                UserWarning,
                stacklevel=4,
            )
    return low, high


def _without_rounding(low: int, high: int, dtype: dtypes.dtype, digits: int) -> tuple[int, int]:
    """The range, narrowed to the next numbers of the dtype where rounding would lead out of it."""
    above, below = int(dtype.numpy.type(low + 1)), int(dtype.numpy.type(high - 1))
    if above < low:
        low = above + 2 ** (abs(low + 1).bit_length() - digits)
    if below >= high:
        high = below - 2 ** (abs(high - 1).bit_length() - digits)
    return low, high


def beyond(dtype: dtypes.dtype) -> int:
    """One more than the largest integer that `random_` draws: for floating dtypes, the last without gaps below it."""
    if dtype.is_floating_point:
        return 2 ** (np.finfo(dtype.numpy).nmant + 1) + 1
    return 2 if dtype.kind == dtypes.BOOL else int(np.iinfo(dtype.numpy).max) + 1


default_generator = Generator()
default_generator.seed()
