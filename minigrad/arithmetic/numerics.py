"""Arithmetic with torch's rounding: sums and products that are rounded once, and normal numbers made from them.
Mirrors https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from minigrad.arithmetic.blocks import MANY, in_blocks

F32, F64 = np.float32, np.float64
Numbers: TypeAlias = np.ndarray | np.floating | float
_FLOAT, _DOUBLE = np.dtype(F32), np.dtype(F64)


def multiply_add(a: np.ndarray, b: Numbers, c: Numbers, dtype: np.dtype) -> np.ndarray:
    """a · b + c in `dtype`, rounded once in float32 and float64, as torch does with a factor: `lerp`, optimizers."""
    if np.size(a) < MANY:
        return _multiply_add(a, b, c, dtype)
    is_array = [isinstance(item, np.ndarray) for item in (b, c)]

    def of_block(a: np.ndarray, *arrays: np.ndarray) -> np.ndarray:
        rest = iter(arrays)
        b_, c_ = [next(rest) if cut else item for item, cut in zip((b, c), is_array, strict=True)]
        return _multiply_add(a, b_, c_, dtype)

    return in_blocks(of_block, a, *[item for item, cut in zip((b, c), is_array, strict=True) if cut])


def _multiply_add(a: np.ndarray, b: Numbers, c: Numbers, dtype: np.dtype) -> np.ndarray:
    if dtype is _FLOAT:  # the product of two float32 has 48 bits: exact in float64
        return fused32(a, b, c)
    return fused(a, b, c) if dtype is _DOUBLE else a * b + c


def fused32(a: np.ndarray, b: Numbers, c: Numbers) -> np.ndarray:
    """a · b + c in float32: float64 holds the product exactly, and Python numbers count as float32 has them."""
    return (_wide(a) * _wide(b) + _wide(c)).astype(F32)


def _wide(value: Numbers) -> Any:
    return value.astype(F64, copy=False) if isinstance(value, (np.ndarray, np.generic)) else float(F32(value))


def fused(a: np.ndarray, b: Numbers, c: Numbers) -> np.ndarray:
    """a · b + c in float64, rounded once (Dekker, Knuth), but for ties of the product and anything below 10⁻²⁹²."""
    with np.errstate(all="ignore"):
        product, lost = exact_product(a, b)
        total, left = exact_sum(product, c)
        lost = lost + left
        return np.where(np.isfinite(lost) & (lost != 0), total + lost, total)[()]  # -0 + 0 would be 0


def exact_sum(a: np.ndarray, b: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """a + b as the rounded sum and the rounding error."""
    total = a + b
    share = total - a
    return total, (a - (total - share)) + (b - share)


def exact_product(a: np.ndarray, b: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """a · b as the rounded product and the rounding error; products of 26-bit halves are exact."""
    total, halves = a * b, 2.0**27 + 1
    a_high, b_high = [item * halves - (item * halves - item) for item in (a, b)]
    a_low, b_low = a - a_high, b - b_high
    return total, ((a_high * b_high - total) + a_high * b_low + a_low * b_high) + a_low * b_low


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
    blocks = uniforms.reshape(-1, 2, 8)
    made = np.empty_like(blocks)
    radius = np.sqrt(F32(-2) * log32(F32(1) - blocks[:, 0]))
    sine, cosine = sine_and_cosine32(F32(2 * math.pi) * blocks[:, 1])
    np.multiply(radius, cosine, out=made[:, 0])
    np.multiply(radius, sine, out=made[:, 1])
    made += F32(0)  # -0 becomes 0, as where torch adds the mean
    return made.reshape(-1)


def log32(x: np.ndarray) -> np.ndarray:
    """log x for float32 x in (0, 1]: x = m · 2^e with m near 1, then log m + e · log 2 in two parts."""
    m, e = np.frexp(x)
    below = m < F32(math.sqrt(0.5))
    m += m * below
    m -= F32(1)
    e, square = (e - below).astype(F32), m * m
    wide = square.astype(F64)
    y = fused32(polynomial(LOG, m.astype(F64)) * m, wide, e * F32(-2.12194440e-4))
    return fused32(e, F32(0.693359375), m + fused32(wide, F32(-0.5), y))


def sine_and_cosine32(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """sin x and cos x for float32 x ≥ 0: x less a multiple of π/4, then whichever polynomial belongs to the octant."""
    octant = (x * F32(4 / math.pi)).astype(np.int32)
    octant += 1
    octant &= ~1
    turns = octant.astype(F32)  # π/4 in three parts: products with the first two, which are short, are exact
    x = x - turns * F32(0.78515625)
    x -= turns * F32(2.4187564849853515625e-4)
    x = fused32(turns, F32(-3.77489497744594108e-8), x)
    square, wide = x * x, x.astype(F64)
    wide_square = square.astype(F64)
    sine = fused32(polynomial(SINE, wide_square) * square, wide, wide)
    cosine = fused32(polynomial(COSINE, wide_square) * square, wide_square, square * F32(-0.5))
    cosine += F32(1)
    # In their bits, which is faster than np.where: bit 1 of the octant exchanges the two, bit 2 is the sine's sign.
    sines, cosines, sign = sine.view(np.int32), cosine.view(np.int32), octant << 29
    swapped = (sines ^ cosines) & (octant << 30 >> 31)
    for bits, turned in ((sines, sign), (cosines, sign ^ (octant << 30))):
        bits ^= swapped
        bits ^= turned & -(2**31)
    return sine, cosine


def polynomial(coefficients: Sequence[float], x: np.ndarray) -> np.ndarray:
    """Evaluate the polynomial in float32, at x given as float64, by Horner's rule, rounding once per step."""
    first, *between, last = [float(F32(coefficient)) for coefficient in coefficients]
    y = x * first
    for item in between:
        y += item
        np.copyto(y, y.astype(F32))
        y *= x
    y += last
    return y.astype(F32)
