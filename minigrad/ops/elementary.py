"""Functions of one number, entry by entry: each with its derivative and the value that torch saves for it.

Those in the first table turn integers and bools into the default floating dtype; those in the second have jumps or
corners, and keep integers unchanged.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.graph.array_ops import cos, cosh, exactly, exp, power, raw, sign, sin, sinh, sqrt, zeros
from minigrad.ops.operands import no_kernel, recorded_as, with_a_float
from minigrad.ops.registry import define_all
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class OfInput(Function):
    """f(a), with a saved: `share` is the upstream gradient g times f'(a)."""

    value: Callable[[Any], Any]
    share: Callable

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return ctx.value(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (kept,) = ctx.saved_tensors
        return ctx.share(grad_output, kept)


class OfResult(OfInput):
    """r = f(a), with r saved: `share` is the upstream gradient g times f'(a), computed from r."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        result = ctx.value(a)
        ctx.save_for_backward(result)
        return result


class Unsaved(OfInput):
    """f(a), with nothing saved: `share` is the upstream gradient g times f'(a), which is the same for every a."""

    forward = staticmethod(lambda ctx, a: ctx.value(a))
    backward = staticmethod(lambda ctx, grad_output: ctx.share(grad_output))


class Scale(Function, name="MulBackward1"):
    """factor · a, where the factor is not an operand of the program: d/da = factor. Nothing is saved."""

    @staticmethod
    def forward(ctx: Any, a: Any, factor: Any) -> Any:
        ctx.factor = factor
        return a * factor

    backward = staticmethod(lambda ctx, grad_output: scaled(grad_output, ctx.factor))


class Portion(Function, name="DivBackward1"):
    """a / parts, where the number of parts is not an operand of the program: d/da = 1 / parts. Nothing is saved."""

    @staticmethod
    def forward(ctx: Any, a: Any, parts: Any) -> Any:
        ctx.parts = parts
        return a / parts

    backward = staticmethod(lambda ctx, grad_output: array_ops.call(Portion, grad_output, parts=ctx.parts))


class TanhShare(Function, name="TanhBackwardBackward0"):
    """g (1 - r²), the share of tanh's backward: d/dg = 1 - r², d/dr = -2 g r."""

    value: Callable = staticmethod(lambda g, r: g * (1 - r * r))
    bend: Callable = staticmethod(lambda g, r: -2 * r * g)

    @staticmethod
    def forward(ctx: Any, g: Any, r: Any) -> Any:
        ctx.save_for_backward(g, r)
        return array_ops.in_float32(ctx.value)(g, r)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        g, r = ctx.saved_tensors
        return ctx.value(grad_output, r), grad_output * ctx.bend(g, r)


class SigmoidShare(TanhShare, name="SigmoidBackwardBackward0"):
    """g (1 - r) r, the share of sigmoid's backward: d/dg = (1 - r) r, d/dr = g (1 - 2 r)."""

    value = staticmethod(lambda g, r: g * (1 - r) * r)
    bend = staticmethod(lambda g, r: g * (-2 * r + 1))


class RoundDecimals(Unsaved, name="RoundBackward1"):
    """The nearest number with a given number of decimals: d/da = 0."""

    share = staticmethod(lambda g: flat(g))

    @staticmethod
    def forward(ctx: Any, a: Any, decimals: int = 0) -> Any:
        tens = 10.0 ** abs(decimals)
        return np.round(a * tens) / tens if decimals > 0 else np.round(a / tens) * tens


def scaled(value: Any, factor: Any) -> Any:
    """factor · value; in a recorded pass with torch's node for a factor."""
    return array_ops.call(Scale, value, factor=factor)


def flat(g: Any) -> Any:
    """The upstream gradient times 0, but 0 for inf as well."""
    return zeros(g.shape, raw(g).dtype, g)


_erf_of_one = np.frompyfunc(math.erf, 1, 1)
_erf: Callable = lambda a: np.asarray(_erf_of_one(a), a.dtype)  # noqa: E731
_sigmoid = array_ops.in_float32(lambda a: 1 / (1 + exp(-a)))
Row = tuple[str, type[OfInput], Callable, Callable, str]
LOG_2, LOG_10, DEGREE, RADIAN = math.log(2), math.log(10), math.pi / 180, 180 / math.pi
BELL = 2 / math.sqrt(math.pi)
# Each row: torch's name, what is saved, f(a), the upstream gradient g times f'(a) (`grading.strip` knows it by its g).
SMOOTH: list[Row] = [
    ("exp", OfResult, exactly(np.exp), lambda g, r: g * r, "e^a: d/da = e^a."),
    ("exp2", OfResult, exactly(np.exp2), lambda g, r: scaled(g * r, LOG_2), "2^a: d/da = 2^a · log 2."),
    ("expm1", OfResult, exactly(np.expm1), lambda g, r: g * (r + 1), "e^a - 1, exact near 0: d/da = e^a."),
    ("log", OfInput, exactly(np.log), lambda g, a: g / a, "log a, to the base e: d/da = 1/a."),
    ("log2", OfInput, exactly(np.log2), lambda g, a: g / (a * LOG_2), "log a, to the base 2: d/da = 1/(a log 2)."),
    ("log10", OfInput, exactly(np.log10), lambda g, a: g / (a * LOG_10), "log a, to the base 10: d/da = 1/(a log 10)."),
    ("log1p", OfInput, exactly(np.log1p), lambda g, a: g / (a + 1), "log(1 + a), exact near 0: d/da = 1/(1 + a)."),
    ("sqrt", OfResult, np.sqrt, lambda g, r: g / (2 * r), "√a: d/da = 1/(2√a), infinite at 0."),
    ("rsqrt", OfResult, lambda a: 1 / np.sqrt(a), lambda g, r: -0.5 * g * power(r, 3), "1/√a: d/da = -1/(2 a√a)."),
    ("reciprocal", OfResult, lambda a: 1 / a, lambda g, r: -g * (r * r), "1/a: d/da = -1/a²."),
    ("sin", OfInput, exactly(np.sin), lambda g, a: g * cos(a), "sin a: d/da = cos a."),
    ("cos", OfInput, exactly(np.cos), lambda g, a: g * -sin(a), "cos a: d/da = -sin a."),
    ("tan", OfResult, exactly(np.tan), lambda g, r: g * (1 + r * r), "tan a: d/da = 1 + tan² a."),
    ("asin", OfInput, exactly(np.arcsin), lambda g, a: g * (1 / sqrt(1 - a * a)), "arcsin a: d/da = 1/√(1 - a²)."),
    ("acos", OfInput, exactly(np.arccos), lambda g, a: g * (-1 / sqrt(1 - a * a)), "arccos a: d/da = -1/√(1 - a²)."),
    ("atan", OfInput, exactly(np.arctan), lambda g, a: g / (a * a + 1), "arctan a: d/da = 1/(1 + a²)."),
    ("sinh", OfInput, exactly(np.sinh), lambda g, a: g * cosh(a), "(e^a - e^-a)/2: d/da = cosh a."),
    ("cosh", OfInput, exactly(np.cosh), lambda g, a: g * sinh(a), "(e^a + e^-a)/2: d/da = sinh a."),
    ("tanh", OfResult, exactly(np.tanh), lambda g, r: array_ops.call(TanhShare, g, r), "tanh a: d/da = 1 - tanh² a."),
    ("asinh", OfInput, exactly(np.arcsinh), lambda g, a: g * (1 / sqrt(a * a + 1)), "arcsinh a: d/da = 1/√(a² + 1)."),
    ("acosh", OfInput, exactly(np.arccosh), lambda g, a: g * (1 / sqrt(a * a - 1)), "arccosh a: d/da = 1/√(a² - 1)."),
    ("atanh", OfInput, exactly(np.arctanh), lambda g, a: g / (1 - a * a), "arctanh a: d/da = 1/(1 - a²)."),
    ("sigmoid", OfResult, _sigmoid, lambda g, r: array_ops.call(SigmoidShare, g, r), "s = 1/(1+e^-a): d/da = (1-s) s."),
    ("erf", OfInput, _erf, lambda g, a: BELL * exp(-(a * a)) * g, "2/√π ∫₀ᵃ e^-t² dt: d/da = 2/√π e^-a²."),
    ("deg2rad", Unsaved, lambda a: a * a.dtype.type(DEGREE), lambda g: g * DEGREE, "Degrees in radians: d/da = π/180."),
    ("rad2deg", Unsaved, lambda a: a * a.dtype.type(RADIAN), lambda g: g * RADIAN, "Radians in degrees: d/da = 180/π."),
]
CORNERED: list[Row] = [
    ("abs", OfInput, np.abs, lambda g, a: g * sign(a), "|a|: d/da is the sign of a, 0 at 0."),
    ("sign", Unsaved, sign, lambda g: flat(g), "-1, 0 or 1; 0 for nan: d/da = 0."),
    ("floor", Unsaved, np.floor, lambda g: flat(g), "The largest whole number ≤ a: d/da = 0."),
    ("ceil", Unsaved, np.ceil, lambda g: flat(g), "The smallest whole number ≥ a: d/da = 0."),
    ("trunc", Unsaved, np.trunc, lambda g: flat(g), "The whole part of a: d/da = 0."),
    ("round", Unsaved, np.round, lambda g: flat(g), "The nearest whole number, the even one of two: d/da = 0."),
    ("frac", Unsaved, lambda a: a - np.trunc(a), lambda g: g, "a without its whole part: d/da = 1."),
]
NODES: dict[str, type[OfInput]] = {}  # the operations of the tables, by torch's names
for _name, _kind, _value, _slope, _text in [*SMOOTH, *CORNERED]:
    _body = {"value": staticmethod(_value), "share": staticmethod(_slope), "__doc__": _text}
    NODES[_name] = type(_name.title(), (_kind,), _body)


def function_of(node: type[Function], kernel: str = "", refused: str = "b", *, smooth: bool = True) -> Callable:
    """The node as a function of one tensor: a `smooth` one converts integers to floats, a `kernel` rejects bools."""

    def function(input: Tensor) -> Tensor:
        if kernel and input._array.dtype.kind in refused:
            raise no_kernel(kernel, input.dtype)
        return node.apply(*with_a_float(input)) if smooth else node.apply(input)

    function.__doc__ = node.__doc__
    return function


KERNELS = {"abs": ["abs_cpu"], "frac": ["frac_cpu", "biu"]}
KERNELS |= {name: [f"{name}_vml_cpu"] for name in ("floor", "ceil", "trunc", "round")}
operations = {name: function_of(NODES[name]) for name, *_ in SMOOTH}
operations |= {name: function_of(NODES[name], *KERNELS.get(name, []), smooth=False) for name, *_ in CORNERED}
whole = operations["round"]


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest whole number (ties to even), or the nearest number with that many decimals: d/da = 0."""
    if decimals and not input.dtype.is_floating_point:
        raise no_kernel("round_cpu", input.dtype)
    return RoundDecimals.apply(input, decimals=decimals) if decimals else whole(input)


BITS = {np.dtype(each): np.dtype(f"int{8 * each().itemsize}") for each in (np.float16, np.float32, np.float64)}
ZERO = {each: np.zeros((), each) for each in BITS}  # an array, because numpy is slower with a number


@functools.lru_cache(maxsize=8)
def nothing(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Zeros; do not write to them. numpy's maximum is four times faster with a whole array of them than with one 0."""
    return np.zeros(shape, dtype)


def _passed(g: Any, r: Any) -> Any:
    """g where r, a result of relu, is not 0, else 0: its bits times 1 or 0. np.where takes longer."""
    bits = BITS[g.dtype]
    passed = (r != ZERO[r.dtype]).astype(bits)
    passed *= g.view(bits)
    return passed.view(g.dtype)


_of_relu = recorded_as("ThresholdBackwardBackward0")


class Relu(Function):
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        zero = nothing(a.shape if a.flags.c_contiguous else (), a.dtype)  # the result has a's memory layout
        # -0 is kept: of 0 and -0 numpy keeps the second, but the first for float16
        result = np.maximum(zero, a) if a.dtype.itemsize > 2 else np.maximum(a, zero)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (r,) = ctx.saved_tensors
        if isinstance(grad_output, Tensor):
            return _of_relu(array_ops.where(raw(r) == 0, 0, grad_output), r)
        return _passed(grad_output, r)


def relu(input: Tensor) -> Tensor:
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0. RuntimeError for bools."""
    if input._array.dtype.kind == "b":
        raise refusal("bools_not_implemented")("Boolean inputs not supported for relu")
    return Relu.apply(input)


ALIASES = "arcsin=asin arccos=acos arctan=atan arcsinh=asinh arccosh=acosh arctanh=atanh absolute=abs fix=trunc"
operations |= {"round": round, "relu": relu}
define_all(operations, " ".join([*operations, ALIASES]), in_place=True)
setattr(Tensor, "_portion", lambda self, parts: Portion.apply(self, parts=parts))  # noqa: B010  (for `array_ops`)
