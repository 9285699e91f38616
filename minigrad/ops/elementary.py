"""Functions of one number, entry by entry: each with its derivative and the value that torch saves for it.

Integers and bools become the default floating dtype first.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.ops.operands import with_a_float
from minigrad.ops.registry import define
from minigrad.runtime import array_ops
from minigrad.runtime.array_ops import exactly
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class OfInput(Function):
    """f(a), with a saved: `share` is the upstream gradient g times f'(a)."""

    __slots__ = ()
    value: Callable[[Any], Any]
    share: Callable[[Any, Any], Any]

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return ctx.value(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return ctx.share(grad_output, a)


class OfResult(OfInput):
    """r = f(a), with r saved: `share` is the upstream gradient g times f'(a), told by r."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        result = ctx.value(a)
        ctx.save_for_backward(result)
        return result


class Scale(Function, name="MulBackward1"):
    """factor · a, where the factor is no operand of the program: d/da = factor. Nothing is saved."""

    __slots__ = ("factor",)

    @staticmethod
    def forward(ctx: Any, a: Any, factor: Any) -> Any:
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Scale, grad_output, factor=ctx.factor)


class Portion(Function, name="DivBackward1"):
    """a / parts, where the number of parts is no operand of the program: d/da = 1 / parts. Nothing is saved."""

    __slots__ = ("parts",)

    @staticmethod
    def forward(ctx: Any, a: Any, parts: Any) -> Any:
        ctx.parts = parts
        return a / parts

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Portion, grad_output, parts=ctx.parts)


setattr(Tensor, "_portion", lambda self, parts: Portion.apply(self, parts=parts))  # noqa: B010  (for `array_ops`)


class Exp(OfResult):
    """e^a: d/da = e^a."""

    __slots__ = ()
    value = staticmethod(exactly(np.exp))
    share = staticmethod(lambda g, r: g * r)


class Exp2(OfResult):
    """2^a: d/da = 2^a · log 2."""

    __slots__ = ()
    value = staticmethod(exactly(np.exp2))
    share = staticmethod(lambda g, r: array_ops.call(Scale, g * r, factor=math.log(2)))


class Expm1(OfResult):
    """e^a - 1, exact near 0: d/da = e^a."""

    __slots__ = ()
    value = staticmethod(exactly(np.expm1))
    share = staticmethod(lambda g, r: g * (r + 1))


class Log(OfInput):
    """log a, to the base e: d/da = 1/a."""

    __slots__ = ()
    value = staticmethod(exactly(np.log))
    share = staticmethod(lambda g, a: g / a)


class Log2(OfInput):
    """log a, to the base 2: d/da = 1/(a log 2)."""

    __slots__ = ()
    value = staticmethod(exactly(np.log2))
    share = staticmethod(lambda g, a: g / (a * math.log(2)))


class Log10(OfInput):
    """log a, to the base 10: d/da = 1/(a log 10)."""

    __slots__ = ()
    value = staticmethod(exactly(np.log10))
    share = staticmethod(lambda g, a: g / (a * math.log(10)))


class Log1P(OfInput):
    """log(1 + a), exact near 0: d/da = 1/(1 + a)."""

    __slots__ = ()
    value = staticmethod(exactly(np.log1p))
    share = staticmethod(lambda g, a: g / (a + 1))


class Sqrt(OfResult):
    """√a: d/da = 1/(2√a), infinite at 0."""

    __slots__ = ()
    value = staticmethod(np.sqrt)
    share = staticmethod(lambda g, r: g / (2 * r))


class Rsqrt(OfResult):
    """1/√a: d/da = -1/(2 a√a)."""

    __slots__ = ()
    value = staticmethod(lambda a: 1 / np.sqrt(a))
    share = staticmethod(lambda g, r: -0.5 * g * (r * r * r))


class Reciprocal(OfResult):
    """1/a: d/da = -1/a²."""

    __slots__ = ()
    value = staticmethod(lambda a: 1 / a)
    share = staticmethod(lambda g, r: -g * (r * r))


class Sin(OfInput):
    """sin a: d/da = cos a."""

    __slots__ = ()
    value = staticmethod(exactly(np.sin))
    share = staticmethod(lambda g, a: g * array_ops.cos(a))


class Cos(OfInput):
    """cos a: d/da = -sin a."""

    __slots__ = ()
    value = staticmethod(exactly(np.cos))
    share = staticmethod(lambda g, a: g * -array_ops.sin(a))


class Tan(OfResult):
    """tan a: d/da = 1 + tan² a."""

    __slots__ = ()
    value = staticmethod(exactly(np.tan))
    share = staticmethod(lambda g, r: g * (1 + r * r))


class Asin(OfInput):
    """arcsin a: d/da = 1/√(1 - a²)."""

    __slots__ = ()
    value = staticmethod(exactly(np.arcsin))
    share = staticmethod(lambda g, a: g * (1 / array_ops.sqrt(1 - a * a)))


class Acos(OfInput):
    """arccos a: d/da = -1/√(1 - a²)."""

    __slots__ = ()
    value = staticmethod(exactly(np.arccos))
    share = staticmethod(lambda g, a: g * (-1 / array_ops.sqrt(1 - a * a)))


class Atan(OfInput):
    """arctan a: d/da = 1/(1 + a²)."""

    __slots__ = ()
    value = staticmethod(exactly(np.arctan))
    share = staticmethod(lambda g, a: g / (a * a + 1))


class Sinh(OfInput):
    """(e^a - e^-a)/2: d/da = cosh a."""

    __slots__ = ()
    value = staticmethod(exactly(np.sinh))
    share = staticmethod(lambda g, a: g * array_ops.cosh(a))


class Cosh(OfInput):
    """(e^a + e^-a)/2: d/da = sinh a."""

    __slots__ = ()
    value = staticmethod(exactly(np.cosh))
    share = staticmethod(lambda g, a: g * array_ops.sinh(a))


class TanhShare(Function, name="TanhBackwardBackward0"):
    """g (1 - r²), the share of tanh's backward: d/dg = 1 - r², d/dr = -2 g r."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, g: Any, r: Any) -> Any:
        ctx.save_for_backward(g, r)
        return g * (1 - r * r)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        g, r = ctx.saved_tensors
        return array_ops.call(TanhShare, grad_output, r), grad_output * (-2 * r * g)


class Tanh(OfResult):
    """tanh a = sinh a / cosh a: d/da = 1 - tanh² a."""

    __slots__ = ()
    value = staticmethod(exactly(np.tanh))
    share = staticmethod(lambda g, r: array_ops.call(TanhShare, g, r))


class Asinh(OfInput):
    """The inverse of sinh: d/da = 1/√(a² + 1)."""

    __slots__ = ()
    value = staticmethod(exactly(np.arcsinh))
    share = staticmethod(lambda g, a: g * (1 / array_ops.sqrt(a * a + 1)))


class Acosh(OfInput):
    """The inverse of cosh, for a ≥ 1: d/da = 1/√(a² - 1)."""

    __slots__ = ()
    value = staticmethod(exactly(np.arccosh))
    share = staticmethod(lambda g, a: g * (1 / array_ops.sqrt(a * a - 1)))


class Atanh(OfInput):
    """The inverse of tanh, for |a| < 1: d/da = 1/(1 - a²)."""

    __slots__ = ()
    value = staticmethod(exactly(np.arctanh))
    share = staticmethod(lambda g, a: g / (1 - a * a))


_erf = np.frompyfunc(math.erf, 1, 1)


class Erf(OfInput):
    """The error function 2/√π ∫₀ᵃ e^-t² dt: d/da = 2/√π e^-a²."""

    __slots__ = ()
    value = staticmethod(lambda a: np.asarray(_erf(a), a.dtype))
    share = staticmethod(lambda g, a: 2 / math.sqrt(math.pi) * array_ops.exp(-(a * a)) * g)


class Deg2Rad(Function):
    """a degrees in radians: d/da = π / 180. Nothing is saved."""

    __slots__ = ()
    factor = math.pi / 180

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * a.dtype.type(ctx.factor)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output * ctx.factor


class Rad2Deg(Deg2Rad):
    """a radians in degrees: d/da = 180 / π. Nothing is saved."""

    __slots__ = ()
    factor = 180 / math.pi


def function_of(node: type[Function]) -> Callable[[Tensor], Tensor]:
    """The node as a plain function of one tensor, which turns integers to floats."""

    def function(input: Tensor) -> Tensor:
        return node.apply(*with_a_float(input))

    function.__doc__ = node.__doc__
    return function


FUNCTIONS = """
    exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin=arcsin acos=arccos atan=arctan sinh cosh
    tanh asinh=arcsinh acosh=arccosh atanh=arctanh erf deg2rad rad2deg
"""
for _names in FUNCTIONS.split():
    _function = function_of(globals()[_names.partition("=")[0].title()])
    for _name in _names.split("="):
        define(_name, _function, in_place=True)
