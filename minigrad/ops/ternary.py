"""Arithmetic of two or three tensors in one step: angles, weighted means, a sum with a product or a quotient.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.lerp.html
"""

from __future__ import annotations

import numpy as np

from minigrad.arithmetic.numerics import multiply_add
from minigrad.compat import dtypes
from minigrad.graph import array_ops
from minigrad.ops.elementary import scaled
from minigrad.ops.operands import Number, common_dtype, demand_one_shape, demand_one_tensor, no_kernel, with_a_float
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

_angle = array_ops.exactly(np.arctan2)


class Atan2(Function):
    """The angle of the point (b, a): d/da = b/(a² + b²), d/db = -a/(a² + b²), both 0 at the origin."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return _angle(a, b)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        squared = a * a + b * b
        inverse = array_ops.masked(1 / squared, array_ops.raw(squared) == 0)
        return grad_output * (b * inverse), grad_output * (-a * inverse)


@register("atan2", alias="arctan2", in_place=True)
def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle between the first axis and the point (other, input), in (-π, π]."""
    return Atan2.apply(*with_a_float(input, other))


class Hypot(Function):
    """h = √(a² + b²): d/da = a/h, d/db = b/h."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = np.hypot(a, b)
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, result = ctx.saved_tensors
        return grad_output * a / result, grad_output * b / result


@register("hypot", in_place=True)
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """√(input² + other²), entry by entry. NotImplementedError for integers."""
    _demand_floats("hypot_cpu", input, other)
    return Hypot.apply(input, other)


@register("logaddexp")
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(e^input + e^other), entry by entry. NotImplementedError for integers."""
    _demand_floats("logaddexp_cpu", input, other)
    return Logaddexp.apply(input, other)


def _demand_floats(kernel: str, a: Tensor, b: Tensor) -> None:
    demand_one_shape(a, b)
    if not common_dtype(a, b).is_floating_point:
        raise no_kernel(kernel, common_dtype(a, b))


class Logaddexp(Function):
    """log(e^a + e^b): d/da = 1 / (1 + e^(b - a)), d/db = 1 / (1 + e^(a - b))."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return np.logaddexp(a, b)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        return grad_output / (1 + array_ops.exp(b - a)), grad_output / (1 + array_ops.exp(a - b))


class Lerp(Function):
    """a + w (b - a) for a number w: d/da = 1 - w, d/db = w. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, weight: float) -> np.ndarray:
        ctx.weight = weight
        w = a.dtype.type(weight)
        return multiply_add(b - a, w, a, a.dtype) if abs(w) < 0.5 else multiply_add(b - a, w - 1, b, a.dtype)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return scaled(grad_output, 1 - ctx.weight), scaled(grad_output, ctx.weight)


class LerpTensor(Function, name="LerpBackward1"):
    """a + w (b - a) for a tensor w: d/da = 1 - w, d/db = w, d/dw = b - a."""

    saves = ("self", "end", "weight")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, w: np.ndarray) -> np.ndarray:
        needs_w = ctx.needs_input_grad[2]
        ctx.save_for_backward(a if needs_w else None, b if needs_w else None, w)
        way = b - a
        near = abs(w) < 0.5
        return np.where(near, multiply_add(way, w, a, a.dtype), multiply_add(way, w - 1, b, a.dtype))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, w = ctx.saved_tensors
        return grad_output * (1 - w), grad_output * w, grad_output * (b - a) if ctx.needs_input_grad[2] else None


@register("lerp", in_place=True)
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """input + weight · (end - input), for a number or a tensor as weight. RuntimeError for two dtypes."""
    for name, each in (("end", end), ("weight", weight)):
        if isinstance(each, Tensor) and each.dtype is not input.dtype:
            expected, got = input.dtype.cpp_name, each.dtype.cpp_name
            raise RuntimeError(f"expected dtype {expected} for `{name}` but got dtype {got}")
    if not input.dtype.is_floating_point:
        raise no_kernel(f"lerp_kernel_{'tensor' if isinstance(weight, Tensor) else 'scalar'}", input.dtype)
    demand_one_shape(input, end, weight)
    tensor = isinstance(weight, Tensor)
    return LerpTensor.apply(input, end, weight) if tensor else Lerp.apply(input, end, weight=weight)


class Addcmul(Function):
    """a + v · b · c for a number v: d/da = 1, d/db = v c, d/dc = v b."""

    saves = ("tensor1", "tensor2")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, c: np.ndarray, value: float) -> np.ndarray:
        _, needs_b, needs_c = ctx.needs_input_grad
        if needs_b or needs_c:
            ctx.save_for_backward(b if needs_c else None, c if needs_b else None)
        ctx.value = value
        return multiply_add(b if value == 1 else value * b, c, a, a.dtype)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        _, needs_b, needs_c = ctx.needs_input_grad
        b, c = ctx.saved_tensors or (None, None)
        grad_b = grad_output * (c * ctx.value) if needs_b else None
        return grad_output, grad_b, grad_output * (b * ctx.value) if needs_c else None


class Addcdiv(Addcmul):
    """a + v · b / c for a number v: d/da = 1, d/db = v / c, d/dc = -v b / c²."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, c: np.ndarray, value: float) -> np.ndarray:
        ctx.save_for_backward(b if ctx.needs_input_grad[2] else None, c)
        ctx.value = value
        return a + value * b / c

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        _, needs_b, needs_c = ctx.needs_input_grad
        b, c = ctx.saved_tensors
        grad_b = grad_output * (ctx.value / c) if needs_b else None
        return grad_output, grad_b, -grad_output * (ctx.value * b / (c * c)) if needs_c else None


@register("addcmul", in_place=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value · tensor1 · tensor2. NotImplementedError for bools."""
    demand_one_shape(input, tensor1, tensor2)
    common = common_dtype(input, tensor1, tensor2)
    if common is dtypes.bool_:
        raise no_kernel("addcmul_cpu_out", common)
    if not common.is_floating_point:
        value = int(value)
    return Addcmul.apply(input, tensor1, tensor2, value=value)


@register("addcdiv", in_place=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value · tensor1 / tensor2. RuntimeError for two tensors of integers."""
    demand_one_shape(input, tensor1, tensor2)
    if not tensor1.dtype.is_floating_point and not tensor2.dtype.is_floating_point:
        raise RuntimeError("Integer division with addcdiv is no longer supported")
    return Addcdiv.apply(input, tensor1, tensor2, value=value)


class Xlogy(Function):
    """a · log b, and 0 for a = 0: d/da = log b, 0 where a = 0 and b ≤ 0; d/db = a/b."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return np.where((a == 0) & ~np.isnan(b), 0, a * array_ops.log(b)).astype(np.result_type(a, b), copy=False)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        nothing = (array_ops.raw(a) == 0) & (array_ops.raw(b) <= 0)
        grad_a = grad_output * array_ops.masked(array_ops.log(b), nothing) if ctx.needs_input_grad[0] else None
        return grad_a, grad_output * a / b if ctx.needs_input_grad[1] else None


class XlogyOfNumber(Function, name="XlogyBackward1"):
    """number · log b: d/db = number/b."""

    @staticmethod
    def forward(ctx: Function, b: np.ndarray, number: float) -> np.ndarray:
        return Xlogy.forward(ctx, np.asarray(number, b.dtype), b)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        number, b = ctx.saved_tensors
        return grad_output * array_ops.like(array_ops.raw(number), grad_output) / b


class XlogyByNumber(Function, name="XlogyBackward2"):
    """a · log number: d/da = log number."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, number: float) -> np.ndarray:
        return Xlogy.forward(ctx, a, np.asarray(number, a.dtype))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, number = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        slope = array_ops.masked(np.broadcast_to(array_ops.log(number), a.shape), (a == 0) & (number <= 0))
        return grad_output * array_ops.like(slope, grad_output)


@register("xlogy", in_place=True)
def xlogy(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input · log other, entry by entry, and 0 where input is 0; nan where other is nan."""
    demand_one_tensor("xlogy", input, other)
    if not isinstance(input, Tensor):
        return XlogyOfNumber.apply(*with_a_float(other), number=input)
    if not isinstance(other, Tensor):
        return XlogyByNumber.apply(*with_a_float(input), number=other)
    return Xlogy.apply(*with_a_float(input, other))
