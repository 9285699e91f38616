"""torch.nn.functional: the modules' computations as functions of tensors.
Operations with one node are in `fused`, losses in `losses`.
Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import leaf, random, scalar
from minigrad.compat import unsupported
from minigrad.compat.messages import warn
from minigrad.compat.typenames import demand_kernel, demand_tensor
from minigrad.compat.versions import changed, refusal
from minigrad.nn import fused, losses, normalization
from minigrad.nn.losses import *  # noqa: F403
from minigrad.nn.normalization import *  # noqa: F403
from minigrad.ops import functions, norms, shaping
from minigrad.ops.argument_parser import Dtype
from minigrad.passing import inplace as changes
from minigrad.recording import saved
from minigrad.scalar import Function
from minigrad.tensor import Tensor

LAYERS_AND_ACTIVATIONS = """
    cosine_similarity dropout elu embedding gelu hardsigmoid hardswish hardtanh kl_div leaky_relu linear log_softmax
    logsigmoid mish normalize one_hot pairwise_distance prelu relu relu6 relu_ scaled_dot_product_attention sigmoid silu
    softmax softplus tanh
"""
__all__ = [*LAYERS_AND_ACTIVATIONS.split(), *losses.__all__, *normalization.__all__]


# --- layers --------------------------------------------------------------------------------------
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input (…, in) @ weight (out, in)ᵀ + bias (out) or None. RuntimeError or TypeError for what does not fit."""
    demand_tensor("linear", input)
    if bias is None:
        return functions["matmul"](input, weight.t())
    if input.ndim == 2:
        return functions["addmm"](bias, input, weight.t())
    if bias.ndim != 1 or not input._memory().flags.c_contiguous:
        product = functions["matmul"](input, weight.t())
        return changes.change(product, scalar.Add.apply, bias)
    rows = input.reshape((input.numel() // max(input.shape[-1], 1), input.shape[-1]))
    result = functions["addmm"](bias, rows, weight.t())
    shape = (*input.shape[:-1], result.shape[1])
    return shaping.UnsafeView.apply(result, shape=shape) if changed("unsafe_view_of_linear") else result.view(shape)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (rows, size) given by the integers in `input`; row `padding_idx` gets no gradient. With
    `max_norm` the rows are first scaled, in place, to a norm of at most that; with `scale_grad_by_freq` the gradient of
    a row is divided by how often it comes. IndexError for a row out of range, RuntimeError for an input that does not
    hold integers.
    """
    if sparse:
        raise NotImplementedError("minigrad's embedding has no sparse gradients")
    rows = weight.shape[0]
    padding_idx = demand_row(padding_idx, rows)
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if input.dtype.scalar_type not in ("Long", "Int"):
        got = f"but got {input.dtype.tensor_type} instead (while checking arguments for embedding)"
        kinds = "to have one of the following scalar types: Long, Int"
        raise RuntimeError(f"Expected tensor for argument #1 'indices' {kinds}; {got}")
    chosen = np.array(input._array)
    if ((chosen < 0) | (chosen >= rows)).any():
        raise IndexError("index out of range in self")
    if max_norm is not None:
        with leaf.no_grad():
            for row in np.unique(chosen):
                norm = float(weight[int(row)].norm(norm_type))
                if norm > max_norm:
                    weight._memory()[row] *= max_norm / (norm + 1e-7)
            leaf.count_change(weight)
    padding = -1 if padding_idx is None else padding_idx
    result = fused.Embedding.apply(weight, rows=chosen, padding=padding, by_count=scale_grad_by_freq)
    return saved.guard(result, input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """0 with probability p, the others times 1 / (1 - p), only if `training`. ValueError for a p outside [0, 1]."""
    demand_probability(p)
    demand_tensor("dropout_" if inplace else "dropout", input)
    if not training or p == 0 or not input.numel():
        return input
    if not input.dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.scalar_type}")
    noise = Tensor._of(random.dropout_mask(input, p))
    return changes.change(input, scalar.Mul.apply, noise) if inplace else scalar.Mul.apply(input, noise)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A row of zeros with a 1 at each class number in an int64 tensor, along a new last axis. RuntimeError for another
    dtype, a negative class, or one that is not below `num_classes` (-1: the largest + 1).
    """
    demand_tensor("one_hot", tensor)
    if tensor.dtype.scalar_type != "Long":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    numbers = np.asarray(tensor._array)
    if numbers.size and numbers.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    classes = int(numbers.max()) + 1 if num_classes == -1 else num_classes
    if numbers.size and numbers.max() >= classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return Tensor._of((numbers[..., None] == np.arange(classes)).astype(np.int64))


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Σ x1·x2 / (‖x1‖ · ‖x2‖) along `dim`, with each norm at least eps."""
    x1, x2 = losses.broadcast(x1, x2)
    norms = [x.norm(2, dim, keepdim=True).clone() for x in (x1, x2)]
    with leaf.no_grad():
        norms = [norm.clamp_(min=eps) for norm in norms]
    return ((x1 / norms[0]) * (x2 / norms[1])).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """(Σ |x1 - x2 + eps|^p)^(1/p) along the last axis."""
    apart = norms.AddNumber.apply(scalar.Sub.apply(x1, x2), eps)
    if p == 0 or apart.ndim == 0:
        return apart.norm(p, -1, keepdim)
    return norms.NormOfRows.apply(apart, p=p, axes=(apart.ndim - 1,), keepdim=keepdim, dtype=None)


# --- activations ---------------------------------------------------------------------------------
def _activated(
    name: str, node: type[Function], in_place: Any, input: Tensor, inplace: bool = False, setting: Any = None
) -> Tensor:
    """An activation with one node. NotImplementedError, in torch's words, for integers."""
    demand_tensor(f"{name}_" if inplace else name, input)
    if node is fused.Hardtanh:
        _demand_hardtanh(input.dtype, *setting)
    else:
        demand_kernel("GeluKernelImpl" if name == "gelu" else f"{name}_cpu", input.dtype)
    return changes.change(input, in_place.apply, setting=setting) if inplace else node.apply(input, setting=setting)


def _demand_hardtanh(dtype: Dtype, low: float, high: float) -> None:
    """torch's errors of `hardtanh` and `relu6`, which take integers, but no bools."""
    if low > high:
        raise ValueError("min_val cannot be greater than max_val")
    if dtype.scalar_type == "Bool":
        raise refusal("bools_not_implemented")("Bool inputs not supported for hardtanh")
    if dtype.scalar_type == "Byte" and min(low, high) < 0 and not changed("clamp_outside_dtype"):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input."""
    return _activated("leaky_relu", fused.LeakyRelu, fused.LeakyReluInPlace, input, inplace, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) - 1)."""
    return _activated("elu", fused.Elu, fused.EluInPlace, input, inplace, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)."""
    return _activated("silu", fused.Silu, fused.Silu, input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """input / 6 + 1/2, kept between 0 and 1; the derivative is 0 there."""
    return _activated("hardsigmoid", fused.Hardsigmoid, fused.Hardsigmoid, input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · hardsigmoid(input)."""
    return _activated("hardswish", fused.Hardswish, fused.Hardswish, input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · tanh(softplus(input))."""
    return _activated("mish", fused.Mish, fused.Mish, input, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input, kept between min_val and max_val; the derivative is 0 there."""
    return _activated("hardtanh", fused.Hardtanh, fused.Hardtanh, input, inplace, (min_val, max_val))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input, kept between 0 and 6."""
    return _activated("relu6", fused.Hardtanh, fused.Hardtanh, input, inplace, (0.0, 6.0))


def logsigmoid(input: Tensor) -> Tensor:
    """log(1 / (1 + exp(-input)))."""
    return _activated("log_sigmoid", fused.LogSigmoid, None, input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta, and input itself where beta · input is beyond the threshold."""
    return _activated("softplus", fused.Softplus, None, input, False, (beta, threshold))


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0); the derivative at 0 is 0."""
    demand_tensor("relu_" if inplace else "relu", input)
    return input.relu_() if inplace else input.relu()


def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
    return relu(input, True)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """exp(input) / Σ exp(input) along `dim`. A UserWarning where `dim` is missing (`_stacklevel` has no effect)."""
    return _along("softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """input - log Σ exp(input) along `dim`. A UserWarning where `dim` is missing (`_stacklevel` has no effect)."""
    return _along("log_softmax", input, dim, dtype)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return input.sigmoid()


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input divided by its p-norm along `dim`, or by eps where the norm is smaller."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query @ keyᵀ · scale + mask) @ value, for query (…, n, size), key (…, m, size), value (…, m, other) and
    mask (…, n, m); bools in the mask say what counts, `is_causal` what came before.
    """
    scores = functions["matmul"](query * (query.shape[-1] ** -0.5 if scale is None else scale), key.mT)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("minigrad's attention takes attn_mask or is_causal, not both")
        attn_mask = Tensor._of(np.tri(*scores.shape[-2:]) > 0)
    if attn_mask is not None:
        is_bool = attn_mask.dtype.scalar_type == "Bool"
        scores = functions["where"](attn_mask, scores, -math.inf) if is_bool else scores + attn_mask
    return functions["matmul"](dropout(scores.softmax(-1), dropout_p), value)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target · (log target - input), for an input (and with `log_target` a target) of logarithms of probabilities."""
    return losses.divergence(input, target, size_average, reduce, reduction, log_target)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """input · Φ(input), Φ the normal distribution's, or its approximation by "tanh". Not for integers."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _activated("gelu", fused.Gelu, None, input, setting=approximate)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where it is positive, else weight · input: one weight, or one for each channel of input (batch, channels,
    …). RuntimeError for another number of weights or two dtypes, NotImplementedError for integers.
    """
    demand_tensor("prelu", input)
    demand_tensor("prelu", weight, "weight", 2)
    if input.dtype is not weight.dtype:
        kinds = f"{input.dtype.scalar_type} and {weight.dtype.scalar_type}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {kinds}")
    count, channels = weight.numel(), input.shape[1] if input.ndim > 1 else 1
    if count not in (1, channels) or weight.ndim > 1:
        results = f"Found parameter numbers = {count} and channel size = {channels}."
        raise RuntimeError(f"Mismatch of parameter numbers and input channel size. {results}")
    demand_kernel("prelu_cpu", input.dtype)
    if input.ndim != weight.ndim:
        weight = weight.reshape([count if axis == 1 else 1 for axis in range(input.ndim)])
    return fused.PreluKernel.apply(input, weight)


def demand_row(index: int | None, rows: int) -> int | None:
    """A row number, counted from the first one; None is kept. AssertionError if it is out of range."""
    if index is not None and not -rows <= index < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return None if index is None else index % rows


def demand_probability(p: float) -> None:
    """ValueError outside [0, 1]."""
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _along(name: str, input: Tensor, dim: int | None, dtype: Dtype | None) -> Tensor:
    if dim is None:
        change = "Change the call to include dim=X as an argument."
        warn(f"Implicit dimension choice for {name} has been deprecated. {change}")
        dim = 0 if input.ndim in (0, 1, 3) else 1
    method = getattr(input, name)
    return method(dim) if dtype is None else method(dim, dtype=dtype)


__getattr__ = unsupported.lacking(__name__)
