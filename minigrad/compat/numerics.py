"""Arithmetic with torch's roundings: sums and products that are rounded once, and the normal numbers made of them.

Mirrors https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

F32, F64 = np.float32, np.float64


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
