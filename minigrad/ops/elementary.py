"""Functions of one number, entry by entry: each with its derivative and the value that torch saves for it.

The smooth ones turn integers and bools into the default floating dtype; those with jumps or corners keep integers
unchanged.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from minigrad.arithmetic.blocks import BITS, MANY, in_blocks
from minigrad.arithmetic.special import BELL, erf, sine_and_cosine
from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.graph.array_ops import cos, cosh, exactly, exp, power, raw, sign, sin, sinh, sqrt, zeros
from minigrad.ops.operands import no_kernel, recorded_as, with_a_float
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class OfInput(Function):
    """f(a), with a saved: `derivative` gives the upstream gradient g times f'(a)."""

    value: Callable
    derivative: Callable

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a)
        return ctx.value(a) if a.size < MANY else in_blocks(ctx.value, a)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (kept,) = ctx.saved_tensors
        if type(grad_output) is np.ndarray and grad_output.size >= MANY:
            return in_blocks(ctx.derivative, grad_output, kept)
        return ctx.derivative(grad_output, kept)


class OfResult(OfInput):
    """r = f(a), with r saved: `derivative` gives the upstream gradient g times f'(a), computed from r."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        result = ctx.value(a) if a.size < MANY else in_blocks(ctx.value, a)
        ctx.save_for_backward(result)
        return result


class Unsaved(OfInput):
    """f(a), with nothing saved: `derivative` gives the upstream gradient g times f'(a), the same for every a."""

    forward = staticmethod(lambda ctx, a: ctx.value(a))
    backward = staticmethod(lambda ctx, grad_output: ctx.derivative(grad_output))


class Scale(Function, name="MulBackward1"):
    """factor · a, where the factor is not an operand of the program: d/da = factor. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, factor: float) -> np.ndarray:
        ctx.factor = factor
        return a * factor

    backward = staticmethod(lambda ctx, grad_output: scaled(grad_output, ctx.factor))


class Portion(Function, name="DivBackward1"):
    """a / parts, where the number of parts is not an operand of the program: d/da = 1 / parts. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, parts: np.ndarray) -> np.ndarray:
        ctx.parts = parts
        return a / parts

    backward = staticmethod(lambda ctx, grad_output: array_ops.call(Portion, grad_output, parts=ctx.parts))


class TanhShare(Function, name="TanhBackwardBackward0"):
    """g (1 - r²), the share of tanh's backward: d/dg = 1 - r², d/dr = -2 g r."""

    value: Callable = staticmethod(lambda g, r: g * (1 - r * r))
    bend: Callable = staticmethod(lambda g, r: -2 * r * g)

    @staticmethod
    def forward(ctx: Function, g: np.ndarray, r: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(g, r)
        return array_ops.in_float32(ctx.value)(g, r)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        g, r = ctx.saved_tensors
        return ctx.value(grad_output, r), grad_output * ctx.bend(g, r)


class SigmoidShare(TanhShare, name="SigmoidBackwardBackward0"):
    """g (1 - r) r, the share of sigmoid's backward: d/dg = (1 - r) r, d/dr = g (1 - 2 r)."""

    value = staticmethod(lambda g, r: g * (1 - r) * r)
    bend = staticmethod(lambda g, r: g * (-2 * r + 1))


def flat(g: Value) -> Value:
    """The upstream gradient times 0, but 0 for inf as well."""
    return zeros(g.shape, raw(g).dtype, g)


class RoundDecimals(Unsaved, name="RoundBackward1"):
    """The nearest number with a given number of decimals: d/da = 0."""

    derivative = staticmethod(lambda g: flat(g))

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, decimals: int = 0) -> np.ndarray:
        tens = 10.0 ** abs(decimals)
        return np.round(a * tens) / tens if decimals > 0 else np.round(a / tens) * tens


def scaled(value: Value, factor: float) -> Value:
    """factor · value; in a recorded pass with torch's node for a factor."""
    return array_ops.call(Scale, value, factor=factor)


_sigmoid = array_ops.in_float32(lambda a: 1 / (1 + exp(-a)))
LOG_2, LOG_10, DEGREE, RADIAN = math.log(2), math.log(10), math.pi / 180, 180 / math.pi
operations: dict[str, Callable] = {}  # the functions of the classes below, by torch's names


def function_of(node: type[Function], kernel: str = "", refused: str = "b", *, smooth: bool = True) -> Callable:
    """The node as a function of one tensor: a `smooth` one converts integers to floats, a `kernel` rejects bools."""

    def function(input: Tensor) -> Tensor:
        if kernel and input._array.dtype.kind in refused:
            raise no_kernel(kernel, input.dtype)
        return node.apply(*with_a_float(input)) if smooth else node.apply(input)

    function.__doc__ = node.__doc__
    return function


def operation(name: str, *, smooth: bool, kernel: str = "", refused: str = "b", **options: object) -> Callable:
    """Decorator: make a class of one number an operation; `options` are those of `register`. See `function_of`."""

    def decorate(node: type[OfInput]) -> type[OfInput]:
        operations[name] = function_of(node, kernel, refused, smooth=smooth)
        register(name, operations[name], in_place=True, **{"in_place_function": True} | options)
        return node

    return decorate


smooth = functools.partial(operation, smooth=True)
cornered = functools.partial(operation, smooth=False)


# --- smooth ones: integers become floats -------------------------------------------------------------


@smooth("exp")
class Exp(OfResult):
    """e^a: d/da = e^a."""

    value = staticmethod(exactly(np.exp))
    derivative = staticmethod(lambda g, r: g * r)


@smooth("exp2")
class Exp2(OfResult):
    """2^a: d/da = 2^a · log 2."""

    value = staticmethod(exactly(np.exp2))
    derivative = staticmethod(lambda g, r: scaled(g * r, LOG_2))


@smooth("expm1")
class Expm1(OfResult):
    """e^a - 1, exact near 0: d/da = e^a."""

    value = staticmethod(exactly(np.expm1))
    derivative = staticmethod(lambda g, r: g * (r + 1))


@smooth("log")
class Log(OfInput):
    """log a, to the base e: d/da = 1/a."""

    value = staticmethod(exactly(np.log))
    derivative = staticmethod(lambda g, a: g / a)


@smooth("log2")
class Log2(OfInput):
    """log a, to the base 2: d/da = 1/(a log 2)."""

    value = staticmethod(exactly(np.log2))
    derivative = staticmethod(lambda g, a: g / (a * LOG_2))


@smooth("log10")
class Log10(OfInput):
    """log a, to the base 10: d/da = 1/(a log 10)."""

    value = staticmethod(exactly(np.log10))
    derivative = staticmethod(lambda g, a: g / (a * LOG_10))


@smooth("log1p")
class Log1P(OfInput):
    """log(1 + a), exact near 0: d/da = 1/(1 + a)."""

    value = staticmethod(exactly(np.log1p))
    derivative = staticmethod(lambda g, a: g / (a + 1))


@smooth("sqrt")
class Sqrt(OfResult):
    """√a: d/da = 1/(2√a), infinite at 0."""

    value = staticmethod(np.sqrt)
    derivative = staticmethod(lambda g, r: g / (2 * r))


@smooth("rsqrt")
class Rsqrt(OfResult):
    """1/√a: d/da = -1/(2 a√a)."""

    value = staticmethod(lambda a: 1 / np.sqrt(a))
    derivative = staticmethod(lambda g, r: -0.5 * g * power(r, 3))


@smooth("reciprocal")
class Reciprocal(OfResult):
    """1/a: d/da = -1/a²."""

    value = staticmethod(lambda a: 1 / a)
    derivative = staticmethod(lambda g, r: -g * (r * r))


class Wave(OfInput):
    """A sine or cosine. Of many float32 both are computed at once, where both are needed: a third of the time."""

    nth: int  # which of the two it is
    slope: np.ndarray | None

    @staticmethod
    def forward(ctx: Wave, a: np.ndarray) -> np.ndarray:  # type: ignore[override]
        ctx.slope = None
        if a.size < MANY or a.dtype != np.float32 or not any(getattr(ctx, "needs_input_grad", ())):
            return OfInput.forward(ctx, a)
        ctx.save_for_backward(a)
        both = in_blocks(sine_and_cosine, a)
        ctx.slope = both[1 - ctx.nth]
        return both[ctx.nth]

    @staticmethod
    def backward(ctx: Wave, grad_output: Value) -> Shares:  # type: ignore[override]
        slope, ctx.slope = ctx.slope, None
        if slope is None or isinstance(grad_output, Tensor):
            return OfInput.backward(ctx, grad_output)
        _ = ctx.saved_tensors  # an error if they were freed, or changed since
        return grad_output * (np.negative(slope, out=slope) if ctx.nth else slope)


@smooth("sin")
class Sin(Wave):
    """sin a: d/da = cos a."""

    nth = 0
    value = staticmethod(array_ops.sin_of)
    derivative = staticmethod(lambda g, a: g * cos(a))


@smooth("cos")
class Cos(Wave):
    """cos a: d/da = -sin a."""

    nth = 1
    value = staticmethod(array_ops.cos_of)
    derivative = staticmethod(lambda g, a: g * -sin(a))


@smooth("tan")
class Tan(OfResult):
    """tan a: d/da = 1 + tan² a."""

    value = staticmethod(exactly(np.tan))
    derivative = staticmethod(lambda g, r: g * (1 + r * r))


@smooth("asin", alias="arcsin")
class Asin(OfInput):
    """arcsin a: d/da = 1/√(1 - a²)."""

    value = staticmethod(exactly(np.arcsin))
    derivative = staticmethod(lambda g, a: g * (1 / sqrt(1 - a * a)))


@smooth("acos", alias="arccos")
class Acos(OfInput):
    """arccos a: d/da = -1/√(1 - a²)."""

    value = staticmethod(exactly(np.arccos))
    derivative = staticmethod(lambda g, a: g * (-1 / sqrt(1 - a * a)))


@smooth("atan", alias="arctan")
class Atan(OfInput):
    """arctan a: d/da = 1/(1 + a²)."""

    value = staticmethod(exactly(np.arctan))
    derivative = staticmethod(lambda g, a: g / (a * a + 1))


@smooth("sinh")
class Sinh(OfInput):
    """(e^a - e^-a)/2: d/da = cosh a."""

    value = staticmethod(exactly(np.sinh))
    derivative = staticmethod(lambda g, a: g * cosh(a))


@smooth("cosh")
class Cosh(OfInput):
    """(e^a + e^-a)/2: d/da = sinh a."""

    value = staticmethod(exactly(np.cosh))
    derivative = staticmethod(lambda g, a: g * sinh(a))


@smooth("tanh")
class Tanh(OfResult):
    """tanh a: d/da = 1 - tanh² a."""

    value = staticmethod(exactly(np.tanh))
    derivative = staticmethod(lambda g, r: array_ops.call(TanhShare, g, r))


@smooth("asinh", alias="arcsinh")
class Asinh(OfInput):
    """arcsinh a: d/da = 1/√(a² + 1)."""

    value = staticmethod(exactly(np.arcsinh))
    derivative = staticmethod(lambda g, a: g * (1 / sqrt(a * a + 1)))


@smooth("acosh", alias="arccosh")
class Acosh(OfInput):
    """arccosh a: d/da = 1/√(a² - 1)."""

    value = staticmethod(exactly(np.arccosh))
    derivative = staticmethod(lambda g, a: g * (1 / sqrt(a * a - 1)))


@smooth("atanh", alias="arctanh")
class Atanh(OfInput):
    """arctanh a: d/da = 1/(1 - a²)."""

    value = staticmethod(exactly(np.arctanh))
    derivative = staticmethod(lambda g, a: g / (1 - a * a))


@smooth("sigmoid")
class Sigmoid(OfResult):
    """s = 1/(1+e^-a): d/da = (1-s) s."""

    value = staticmethod(_sigmoid)
    derivative = staticmethod(lambda g, r: array_ops.call(SigmoidShare, g, r))


@smooth("erf")
class Erf(OfInput):
    """2/√π ∫₀ᵃ e^-t² dt: d/da = 2/√π e^-a²."""

    value = staticmethod(erf)
    derivative = staticmethod(lambda g, a: BELL * exp(-(a * a)) * g)


@smooth("deg2rad")
class Deg2Rad(Unsaved):
    """Degrees in radians: d/da = π/180."""

    value = staticmethod(lambda a: a * a.dtype.type(DEGREE))
    derivative = staticmethod(lambda g: g * DEGREE)


@smooth("rad2deg")
class Rad2Deg(Unsaved):
    """Radians in degrees: d/da = 180/π."""

    value = staticmethod(lambda a: a * a.dtype.type(RADIAN))
    derivative = staticmethod(lambda g: g * RADIAN)


# --- with jumps or corners: integers stay as they are -----------------------------------------------


@cornered("abs", kernel="abs_cpu")
class Abs(OfInput):
    """|a|: d/da is the sign of a, 0 at 0."""

    value = staticmethod(np.abs)
    derivative = staticmethod(lambda g, a: g * sign(a))


@cornered("sign", in_place_function=False)
class Sign(Unsaved):
    """-1, 0 or 1; 0 for nan: d/da = 0."""

    value = staticmethod(sign)
    derivative = staticmethod(lambda g: flat(g))


@cornered("floor", kernel="floor_vml_cpu")
class Floor(Unsaved):
    """The largest whole number ≤ a: d/da = 0."""

    value = staticmethod(np.floor)
    derivative = staticmethod(lambda g: flat(g))


@cornered("ceil", kernel="ceil_vml_cpu")
class Ceil(Unsaved):
    """The smallest whole number ≥ a: d/da = 0."""

    value = staticmethod(np.ceil)
    derivative = staticmethod(lambda g: flat(g))


@cornered("trunc", alias="fix", kernel="trunc_vml_cpu")
class Trunc(Unsaved):
    """The whole part of a: d/da = 0."""

    value = staticmethod(np.trunc)
    derivative = staticmethod(lambda g: flat(g))


class Round(Unsaved):
    """The nearest whole number, the even one of two: d/da = 0."""

    value = staticmethod(np.round)
    derivative = staticmethod(lambda g: flat(g))


@cornered("frac", kernel="frac_cpu", refused="biu")
class Frac(Unsaved):
    """a without its whole part: d/da = 1."""

    value = staticmethod(lambda a: a - np.trunc(a))
    derivative = staticmethod(lambda g: g)


register("absolute", operations["abs"], in_place=True)
whole = function_of(Round, "round_vml_cpu", smooth=False)


@register("round", in_place=True, in_place_function=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest whole number (ties to even), or the nearest number with that many decimals: d/da = 0."""
    if decimals and not input.dtype.is_floating_point:
        raise no_kernel("round_cpu", input.dtype)
    return RoundDecimals.apply(input, decimals=decimals) if decimals else whole(input)


ZERO = {bit: np.zeros((), bit) for bit in BITS}  # an array, because numpy is slower with a number


@functools.lru_cache(maxsize=8)
def nothing(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Zeros; do not write to them. numpy's maximum is four times faster with a whole array of them than with one 0."""
    return np.zeros(shape, dtype)


def _passed(g: np.ndarray, r: np.ndarray) -> np.ndarray:
    """g where r, a result of relu, is not 0, else 0: its bits times 1 or 0. np.where takes longer."""
    bits = BITS[g.dtype]
    passed = (r != ZERO[r.dtype]).astype(bits)
    passed *= g.view(bits)
    return passed.view(g.dtype)


_of_relu = recorded_as("ThresholdBackwardBackward0")


class Relu(Function):
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        zero = nothing(a.shape if a.flags.c_contiguous else (), a.dtype)  # the result has a's memory layout
        # -0 is kept: of 0 and -0 numpy keeps the second, but the first for float16
        result = np.maximum(zero, a) if a.dtype.itemsize > 2 else np.maximum(a, zero)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (r,) = ctx.saved_tensors
        if isinstance(grad_output, Tensor):
            return _of_relu(array_ops.where(raw(r) == 0, 0, grad_output), r)
        return _passed(grad_output, r)


@register("relu", in_place=True, in_place_function=True)
def relu(input: Tensor) -> Tensor:
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0. RuntimeError for bools."""
    if input._array.dtype.kind == "b":
        raise refusal("bools_not_implemented")("Boolean inputs not supported for relu")
    return Relu.apply(input)


setattr(Tensor, "_portion", lambda self, parts: Portion.apply(self, parts=parts))  # noqa: B010  (for `array_ops`)
