"""Layer, batch and group norm: what is normalized over the last axes, over a batch, or over groups of channels.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.arithmetic.blocks import MANY, by_rows
from minigrad.compat.typenames import demand_kernel, demand_tensor
from minigrad.compat.versions import changed
from minigrad.graph import array_ops, state
from minigrad.nn.losses import demand_constant
from minigrad.ops.operands import recorded_as, variant
from minigrad.recording import saved
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

__all__ = ["batch_norm", "group_norm", "layer_norm"]

_of_layer_norm = recorded_as("NativeLayerNormBackwardBackward0")


class NativeBatchNorm(Function):
    """w · n + b with n = (a - mean) / √(variance + ε) along some `axes` of a in the shape `folded`; or n by a mean and
    variance that are `given`, and constant. w and b have one number for each channel (axis 1). dL/dw = Σ g·n, dL/db = Σ
    g over the `rest`; dL/da = (h - mean h - n · mean(h·n)) / √(variance + ε), h = g·w, or h / √… with what is `given`.
    `settings` are these five, `folded`, `axes`, ε, `given`, `rest`.
    """

    promotes = False

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None, settings: tuple
    ) -> np.ndarray:
        ctx.save_for_backward(a, weight)
        ctx.folded, ctx.axes, ctx.eps, ctx.given, ctx.rest = settings
        wide = a.astype(np.float32) if a.dtype == np.float16 else a  # squares would soon be too large
        if in_long_rows(wide, ctx):
            result = by_rows(lambda a: rows_weighted(rows_centred(a, ctx.eps)[0], weight, bias), wide)
            return result.astype(a.dtype, copy=False)
        return (centred(wide, ctx)[0] * by_channel(weight, ctx) + by_channel(bias, ctx)).astype(a.dtype, copy=False)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, weight, *_ = ctx.saved_tensors
        needs_a, needs_weight, needs_bias = ctx.needs_input_grad
        if type(grad_output) is np.ndarray and grad_output.dtype == a.dtype and in_long_rows(a, ctx):
            n = by_rows(lambda a: rows_centred(a, ctx.eps)[0], a) if needs_weight else None
            return (
                by_rows(lambda g, a: share_of_rows(rows_weighted(g, weight), *rows_centred(a, ctx.eps)), grad_output, a)
                if needs_a
                else None,
                None if n is None else grad_output * n,
                grad_output if needs_bias else None,
            )
        (n, spread), grad_a = centred(a, ctx), None
        if needs_a:
            h = (grad_output * by_channel(weight, ctx)).reshape(ctx.folded)
            if ctx.given is None:
                same = n.reshape(ctx.folded)
                h = h - _mean(h, ctx.axes) - same * _mean(h * same, ctx.axes)
            grad_a = (h / spread).reshape(tuple(a.shape))
        shares = grad_output * n if needs_weight else None, grad_output if needs_bias else None
        if not ctx.rest:  # summed to the weight's shape where they leave the node
            return grad_a if grad_a is None else _of_layer_norm(grad_a), *shares
        return grad_a, *[share if share is None else share.sum(axis=ctx.rest) for share in shares]


def in_long_rows(a: np.ndarray, ctx: Function) -> bool:
    """Whether each row of many entries is normalized: then each block of rows is."""
    return a.size >= MANY and ctx.given is None and ctx.folded == a.shape and ctx.axes == (a.ndim - 1,)


def rows_centred(a: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """`centred` for rows."""
    apart = a - _mean(a, (a.ndim - 1,))
    spread = np.sqrt(_mean(apart * apart, (a.ndim - 1,)) + eps)
    apart /= spread
    return apart, spread


def rows_weighted(n: np.ndarray, weight: Any, bias: Any = 0) -> np.ndarray:
    """n · weight + bias; without them, where they are numbers, the result is n itself."""
    weighted = n * weight if isinstance(weight, np.ndarray) else n
    return weighted + bias if isinstance(bias, np.ndarray) else weighted


def share_of_rows(h: np.ndarray, n: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """(h - mean h - n · mean(h·n)) / spread, for rows."""
    h = h - _mean(h, (h.ndim - 1,)) - n * _mean(h * n, (h.ndim - 1,))
    h /= spread
    return h


# The same for w and b of the shape of the last axes, without a `rest`; and with groups of channels.
NativeLayerNorm, NativeGroupNorm = [variant(name, NativeBatchNorm) for name in ("NativeLayerNorm", "NativeGroupNorm")]


def centred(a: Value, ctx: Function) -> tuple[Value, Value]:
    """n, of a's shape, and what a was divided by."""
    if ctx.given is None:
        folded = a.reshape(ctx.folded)
        centred = folded - _mean(folded, ctx.axes)
        spread = array_ops.sqrt(_mean(centred * centred, ctx.axes) + ctx.eps)
        return (centred / spread).reshape(tuple(a.shape)), spread
    mean, variance = [array_ops.like(by_channel(item, ctx), a) for item in ctx.given]
    spread = array_ops.sqrt(variance + ctx.eps)
    return (a - mean) / spread, spread


def _mean(a: Value, axes: tuple[int, ...]) -> Value:
    return a.sum(axis=axes, keepdims=True) / max(math.prod([a.shape[axis] for axis in axes]), 1)


def by_channel(value: Any, ctx: Function) -> Any:
    """One value for each channel, beside the input; a number, and the weights of layer norm, as they are."""
    is_vector = ctx.rest and np.ndim(array_ops.raw(value))
    return value.reshape((-1, *[1] * (len(ctx.rest) - 1))) if is_vector else value


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """(input - mean) / √(variance + eps) · weight + bias over the last axes; RuntimeError if sizes do not fit."""
    demand_tensor("layer_norm", input)
    sizes = list(normalized_shape)
    if list(input.shape[-len(sizes) :]) != sizes:
        expected = ", ".join(["*", *[str(size) for size in sizes]])
        shapes = f"expected input with shape [{expected}], but got input of size{list(input.shape)}"
        raise RuntimeError(f"Given normalized_shape={sizes}, {shapes}")
    demand_kernel("LayerNormKernelImpl", input.dtype)
    axes = tuple(range(input.ndim - len(sizes), input.ndim))
    return _applied(NativeLayerNorm, input, weight, bias, tuple(input.shape), axes, eps, None)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """(input - mean) / √(variance + eps) · weight + bias for each channel of input (batch, channels, …). In `training`
    with mean and variance of the batch, and running ← (1 - momentum) · running + momentum · those (the variance with
    n - 1); else with the running ones. ValueError for one value per channel, RuntimeError for other sizes.
    """
    demand_tensor("batch_norm", input)
    input.size(1 if input.ndim < 2 else 0)
    if training:
        _demand_several(input.size())
    channels, statistics = input.shape[1], {"running_mean": running_mean, "running_var": running_var}
    if training and (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    for name, each in {**statistics, "weight": weight, "bias": bias}.items():
        if each is not None and each.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {each.numel()}")
        if each is None and name in statistics and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    demand_constant("native_batch_norm", **statistics)
    axes, given = (0, *range(2, input.ndim)), None
    demand_kernel("batch_norm", input.dtype)
    if not training:
        given = [item._memory() for item in (running_mean, running_var) if item is not None]  # as they are by then
    else:
        array, count = np.asarray(input._array), input.numel() // max(channels, 1)
        now = array.mean(axis=axes), array.var(axis=axes) * (count / (count - 1))
        for running, value in zip(statistics.values(), now, strict=True):
            if running is not None:
                if state.before_change is not None:
                    state.before_change(running, [input], batch_norm)
                memory = running._memory()
                memory[...] = (1 - momentum) * memory + momentum * value
    result = _applied(NativeBatchNorm, input, weight, bias, tuple(input.shape), axes, eps, given)
    return saved.guard(result, running_mean, running_var)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """(input - mean) / √(variance + eps) for each sample and each group of its channels, times weight plus bias, one
    for each channel; input (batch, channels, …). RuntimeError or ValueError for sizes that do not fit.
    """
    demand_tensor("group_norm", input)
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels, *rest = input.shape
    _demand_several([batch * channels // num_groups, num_groups, *rest])
    shape = list(input.shape)
    if channels % num_groups:
        wrong = f"but got input of shape {shape} and num_groups={num_groups}"
        raise RuntimeError(f"Expected number of channels in input to be divisible by num_groups, {wrong}")
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and tuple(each.shape) != (channels,):
            size = "a vector of size equal to the number of channels in input"
            got = f"but got {name} of shape {list(each.shape)} and input of shape {shape}"
            raise RuntimeError(f"Expected {name} to be {size}, {got}")
    demand_kernel("GroupNormKernelImpl", input.dtype)
    folded = batch, num_groups, input.numel() // max(batch * num_groups, 1)
    if not changed("group_norm_of_strides"):
        input = input.contiguous()
    return _applied(NativeGroupNorm, input, weight, bias, folded, (2,), eps, None)


def _demand_several(size: Sequence[int]) -> None:
    """ValueError where a mean would be of one value."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _applied(
    node: type[Function], input: Tensor, weight: Tensor | None, bias: Tensor | None, *settings: object
) -> Tensor:
    """What the node makes of them. RuntimeError, in torch's words, for several dtypes."""
    by_layer = node is NativeLayerNorm
    if any(item is not None and item.dtype is not input.dtype for item in (weight, bias)):
        single = input.dtype.scalar_type == "Float" and not by_layer
        mixed = "expect parameter to have scalar type of Float" if single else "all inputs must share same datatype."
        raise RuntimeError(f"mixed dtype (CPU): {mixed}")
    settings = (*settings, () if by_layer else (0, *range(2, input.ndim)))
    return node.apply(input, 1 if weight is None else weight, 0 if bias is None else bias, settings=settings)
