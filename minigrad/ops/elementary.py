"""Functions of one number, entry by entry: each with its derivative and the value that torch saves for it.

Integers and bools become the default floating dtype first.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.ops.arguments import define
from minigrad.ops.operands import with_a_float
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


# --- powers of e, and logarithms -----------------------------------------------------------------


class Exp(OfResult):
    """e^a: d/da = e^a.

    >>> Tensor([0., 1.]).exp()
    tensor([1.0000, 2.7183])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.exp))
    share = staticmethod(lambda g, r: g * r)


class Exp2(OfResult):
    """2^a: d/da = 2^a · log 2.

    >>> Tensor([0., 3.]).exp2()
    tensor([1., 8.])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.exp2))
    share = staticmethod(lambda g, r: array_ops.call(Scale, g * r, factor=math.log(2)))


class Expm1(OfResult):
    """e^a - 1, exact near 0: d/da = e^a.

    >>> Tensor([0., 1e-10]).expm1()
    tensor([0.0000e+00, 1.0000e-10])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.expm1))
    share = staticmethod(lambda g, r: g * (r + 1))


class Log(OfInput):
    """log a, to the base e: d/da = 1/a.

    >>> Tensor([1., 10.]).log()
    tensor([0.0000, 2.3026])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.log))
    share = staticmethod(lambda g, a: g / a)


class Log2(OfInput):
    """log a, to the base 2: d/da = 1/(a log 2).

    >>> Tensor([1., 8.]).log2()
    tensor([0., 3.])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.log2))
    share = staticmethod(lambda g, a: g / (a * math.log(2)))


class Log10(OfInput):
    """log a, to the base 10: d/da = 1/(a log 10).

    >>> Tensor([1., 100.]).log10()
    tensor([0., 2.])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.log10))
    share = staticmethod(lambda g, a: g / (a * math.log(10)))


class Log1p(OfInput, name="Log1PBackward0"):
    """log(1 + a), exact near 0: d/da = 1/(1 + a).

    >>> Tensor([0., 1e-10]).log1p()
    tensor([0.0000e+00, 1.0000e-10])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.log1p))
    share = staticmethod(lambda g, a: g / (a + 1))


# --- roots and quotients -------------------------------------------------------------------------


class Sqrt(OfResult):
    """√a: d/da = 1/(2√a), infinite at 0.

    >>> Tensor([0., 4.]).sqrt()
    tensor([0., 2.])
    """

    __slots__ = ()
    value = staticmethod(np.sqrt)
    share = staticmethod(lambda g, r: g / (2 * r))


class Rsqrt(OfResult):
    """1/√a: d/da = -1/(2 a√a).

    >>> Tensor([4., 16.]).rsqrt()
    tensor([0.5000, 0.2500])
    """

    __slots__ = ()
    value = staticmethod(lambda a: 1 / np.sqrt(a))
    share = staticmethod(lambda g, r: -0.5 * g * (r * r * r))


class Reciprocal(OfResult):
    """1/a: d/da = -1/a².

    >>> Tensor([2., 4.]).reciprocal()
    tensor([0.5000, 0.2500])
    """

    __slots__ = ()
    value = staticmethod(lambda a: 1 / a)
    share = staticmethod(lambda g, r: -g * (r * r))


# --- angles --------------------------------------------------------------------------------------


class Sin(OfInput):
    """sin a: d/da = cos a.

    >>> Tensor([0., 1.]).sin()
    tensor([0.0000, 0.8415])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.sin))
    share = staticmethod(lambda g, a: g * array_ops.cos(a))


class Cos(OfInput):
    """cos a: d/da = -sin a.

    >>> Tensor([0., 1.]).cos()
    tensor([1.0000, 0.5403])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.cos))
    share = staticmethod(lambda g, a: g * -array_ops.sin(a))


class Tan(OfResult):
    """tan a: d/da = 1 + tan² a.

    >>> Tensor([0., 1.]).tan()
    tensor([0.0000, 1.5574])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.tan))
    share = staticmethod(lambda g, r: g * (1 + r * r))


class Asin(OfInput):
    """arcsin a: d/da = 1/√(1 - a²).

    >>> Tensor([0., 0.5]).asin()
    tensor([0.0000, 0.5236])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.arcsin))
    share = staticmethod(lambda g, a: g * (1 / array_ops.sqrt(1 - a * a)))


class Acos(OfInput):
    """arccos a: d/da = -1/√(1 - a²).

    >>> Tensor([1., 0.5]).acos()
    tensor([0.0000, 1.0472])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.arccos))
    share = staticmethod(lambda g, a: g * (-1 / array_ops.sqrt(1 - a * a)))


class Atan(OfInput):
    """arctan a: d/da = 1/(1 + a²).

    >>> Tensor([0., 1.]).atan()
    tensor([0.0000, 0.7854])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.arctan))
    share = staticmethod(lambda g, a: g / (a * a + 1))


class Sinh(OfInput):
    """(e^a - e^-a)/2: d/da = cosh a.

    >>> Tensor([0., 1.]).sinh()
    tensor([0.0000, 1.1752])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.sinh))
    share = staticmethod(lambda g, a: g * array_ops.cosh(a))


class Cosh(OfInput):
    """(e^a + e^-a)/2: d/da = sinh a.

    >>> Tensor([0., 1.]).cosh()
    tensor([1.0000, 1.5431])
    """

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
    """tanh a = sinh a / cosh a: d/da = 1 - tanh² a.

    >>> Tensor([0., 1.]).tanh()
    tensor([0.0000, 0.7616])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.tanh))
    share = staticmethod(lambda g, r: array_ops.call(TanhShare, g, r))


class Asinh(OfInput):
    """The inverse of sinh: d/da = 1/√(a² + 1).

    >>> Tensor([0., 1.]).asinh()
    tensor([0.0000, 0.8814])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.arcsinh))
    share = staticmethod(lambda g, a: g * (1 / array_ops.sqrt(a * a + 1)))


class Acosh(OfInput):
    """The inverse of cosh, for a ≥ 1: d/da = 1/√(a² - 1).

    >>> Tensor([1., 2.]).acosh()
    tensor([0.0000, 1.3170])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.arccosh))
    share = staticmethod(lambda g, a: g * (1 / array_ops.sqrt(a * a - 1)))


class Atanh(OfInput):
    """The inverse of tanh, for |a| < 1: d/da = 1/(1 - a²).

    >>> Tensor([0., 0.5]).atanh()
    tensor([0.0000, 0.5493])
    """

    __slots__ = ()
    value = staticmethod(exactly(np.arctanh))
    share = staticmethod(lambda g, a: g / (1 - a * a))


# --- the error function ---------------------------------------------------------------------------

_erf = np.frompyfunc(math.erf, 1, 1)


class Erf(OfInput):
    """The error function 2/√π ∫₀ᵃ e^-t² dt: d/da = 2/√π e^-a².

    >>> Tensor([0., 1.]).erf()
    tensor([0.0000, 0.8427])
    """

    __slots__ = ()
    value = staticmethod(lambda a: np.asarray(_erf(a), a.dtype))
    share = staticmethod(lambda g, a: 2 / math.sqrt(math.pi) * array_ops.exp(-(a * a)) * g)


# --- names ---------------------------------------------------------------------------------------


class Deg2Rad(Function):
    """a degrees in radians: d/da = π / 180. Nothing is saved.

    >>> Tensor([180.]).deg2rad()
    tensor([3.1416])
    """

    __slots__ = ()
    factor = math.pi / 180

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * a.dtype.type(ctx.factor)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output * ctx.factor


class Rad2Deg(Deg2Rad):
    """a radians in degrees: d/da = 180 / π. Nothing is saved.

    >>> Tensor([1.]).rad2deg()
    tensor([57.2958])
    """

    __slots__ = ()
    factor = 180 / math.pi


def function_of(node: type[Function]) -> Callable[[Tensor], Tensor]:
    """The node as a plain function of one tensor, which turns integers to floats."""

    def function(input: Tensor) -> Tensor:
        return node.apply(*with_a_float(input))

    function.__doc__ = node.__doc__
    return function


for _node, _names in (
    (Exp, ("exp",)),
    (Exp2, ("exp2",)),
    (Expm1, ("expm1",)),
    (Log, ("log",)),
    (Log2, ("log2",)),
    (Log10, ("log10",)),
    (Log1p, ("log1p",)),
    (Sqrt, ("sqrt",)),
    (Rsqrt, ("rsqrt",)),
    (Reciprocal, ("reciprocal",)),
    (Sin, ("sin",)),
    (Cos, ("cos",)),
    (Tan, ("tan",)),
    (Asin, ("asin", "arcsin")),
    (Acos, ("acos", "arccos")),
    (Atan, ("atan", "arctan")),
    (Sinh, ("sinh",)),
    (Cosh, ("cosh",)),
    (Tanh, ("tanh",)),
    (Asinh, ("asinh", "arcsinh")),
    (Acosh, ("acosh", "arccosh")),
    (Atanh, ("atanh", "arctanh")),
    (Erf, ("erf",)),
    (Deg2Rad, ("deg2rad",)),
    (Rad2Deg, ("rad2deg",)),
):
    for _name in _names:
        define(_name, function_of(_node), in_place=True)

Tensor._portion = lambda self, parts: Portion.apply(self, parts=parts)  # for `spread`
