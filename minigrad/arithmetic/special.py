"""The error function, which numpy lacks; sines and cosines in float64 for float32, which it computes one by one.

Mirrors https://docs.pytorch.org/docs/stable/special.html
"""

from __future__ import annotations

import math

import numpy as np

from minigrad.arithmetic.blocks import chosen, in_blocks

FEW = 256  # entries, up to which Python's `math.erf` is faster
_erf_of_one = np.frompyfunc(math.erf, 1, 1)
BELL = 2 / math.sqrt(math.pi)  # the slope of erf at 0

# erf z = tanh(z · (2/√π + t · P(t) / Q(t))) with t = z²; coefficients of the highest power first. It is our own fit
# to artanh(erf z) / z in 0 … 4.2, by least squares whose weights follow the error: off by at most 3.4e-9 of erf.
P = [0.0018130528301886287, 0.015915971419734727, 0.10277254533570965]
Q = [0.00032530668093668814, 0.02370295293060662, 0.15689948419309907, 1.0]

# The Cephes library's, in float64: erf x = x · T(x²) / U(x²) up to 1, 1 - e^-x² · R(x) / S(x) beyond.
T = [9.60497373987051638749, 9.00260197203842689217e1, 2.23200534594684319226e3, 7.00332514112805075473e3]
T += [5.55923013010394962768e4]
U = [1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3, 2.26290000613890934246e4]
U += [4.92673942608635921086e4]
T_LESS_U = [t - u for t, u in zip([0.0, *T], U, strict=True)]  # x + x · (T - U) / U rounds less than x · T / U
R = [2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687, 4.86371970985681366614e1]
R += [1.96520832956077098242e2, 5.26445194995477358631e2, 9.34528527171957607540e2, 1.02755188689515710272e3]
R += [5.57535335369399327526e2]
S = [1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2, 9.75708501743205489753e2]
S += [1.82390916687909736289e3, 2.24633760818710981792e3, 1.65666309194161350182e3, 5.57535340817727675546e2]


def erf(a: np.ndarray) -> np.ndarray:
    """2/√π ∫₀ᵃ e^-t² dt, in a's floating dtype: off by at most 0.62 units in float32, 2 in float64."""
    if a.size <= FEW:
        return np.asarray(_erf_of_one(a), a.dtype)
    return in_blocks(_erf64 if a.dtype == np.float64 else _erf32, a)


def erf_of_many(a: np.ndarray) -> np.ndarray:
    """The same, of float32 without a step in float64: off by at most 3 units, which 1 + erf rounds away."""
    if a.size <= FEW or a.dtype != np.float32:
        return erf(a)
    y = _bent(a)
    y += a.dtype.type(BELL)
    y *= a
    return np.tanh(y, out=y)


def _bent(z: np.ndarray) -> np.ndarray:
    """t · P(t) / Q(t), in float32."""
    t = z * z
    np.minimum(t, t.dtype.type(30), out=t)  # erf is 1 there
    y = polynomial(P, t)
    y /= polynomial(Q, t)
    y *= t
    return y


def _erf32(z: np.ndarray) -> np.ndarray:
    """In float32, but for the last steps, which decide about the rounding."""
    wide = _bent(z.astype(np.float32, copy=False)).astype(np.float64)
    wide += BELL
    wide *= z
    return np.tanh(wide, out=wide).astype(z.dtype)


def _erf64(x: np.ndarray) -> np.ndarray:
    size = np.minimum(abs(x), 6.0)  # erf is 1 there
    square = size * size
    inside = size + size * (polynomial(T_LESS_U, square) / polynomial(U, square))
    outside = 1 - np.exp(-square) * (polynomial(R, size) / polynomial(S, size))
    return np.copysign(chosen(size <= 1, inside, outside), x)


def polynomial(coefficients: list[float], x: np.ndarray) -> np.ndarray:
    """Evaluate the polynomial, the highest power first, in the dtype of x, by Horner's rule."""
    first, second, *others = coefficients
    y = x * first if first != 1 else x.copy()
    y += second
    for item in others:
        y *= x
        y += item
    return y


def sine(x: np.ndarray) -> np.ndarray:
    """sin x = t · 2 / (1 + t²) with t = tan(x/2), in float64, whose tangents numpy computes several at once: good for
    float32, where it is exact to 1e-8 units in the last place. x is overwritten.
    """
    share = _half_tangent(x)
    x *= share
    return x


def cosine(x: np.ndarray) -> np.ndarray:
    """cos x = 2 / (1 + t²) - 1 with t = tan(x/2), likewise: exact to 1e-3 units. x is overwritten."""
    share = _half_tangent(x)
    share -= 1
    return share


def sine_and_cosine(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both of float32, rounded to it, for little more than one of them."""
    t = x.astype(np.float64)
    share = _half_tangent(t)
    t *= share
    share -= 1
    return t.astype(np.float32), share.astype(np.float32)


def _half_tangent(x: np.ndarray) -> np.ndarray:
    """2 / (1 + t²), and t = tan(x/2) in place of x."""
    x *= 0.5
    share = np.tan(x, out=x) * x
    share += 1
    return np.divide(2, share, out=share)
