"""torch.nn.functional: what the modules compute, as functions of tensors.

Here the arguments are checked and the operations put together; those that are one node stand in `nodes`, the losses
in `losses`.

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import leaf, random, scalar
from minigrad.compat.messages import warn
from minigrad.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    broadcast,
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from minigrad.nn.nodes import activation, layer
from minigrad.nn.typename import demand_kernel, demand_tensor
from minigrad.ops import functions
from minigrad.runtime import inplace as changes
from minigrad.runtime import saved
from minigrad.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "huber_loss",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "relu",
    "relu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "tanh",
]

# --- layers --------------------------------------------------------------------------------------


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weightᵀ + bias: input (…, in), weight (out, in), bias (out) or None.

    RuntimeError if the sizes or the dtypes do not meet, TypeError for what is no tensor.

    >>> linear(torch.tensor([[1.0, 2.0]]), torch.tensor([[10.0, 1.0]]), torch.tensor([0.5]))
    tensor([[12.5000]])
    """
    demand_tensor("linear", input)
    demand_tensor("linear", weight, "weight", 2)
    if not input.ndim or not weight.ndim:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D"
        )
    if bias is None:
        return functions["matmul"](input, weight.t())
    demand_tensor("linear", bias, "bias", 3)
    if input.ndim == 2:
        return functions["addmm"](bias, input, weight.t())
    if bias.ndim != 1 or not input._memory().flags.c_contiguous:
        product = functions["matmul"](input, weight.t())
        return changes.change(product, scalar.Add.apply, bias)
    rows = input.reshape((input.numel() // max(input.shape[-1], 1), input.shape[-1]))
    result = functions["addmm"](bias, rows, weight.t())
    return result.view((*input.shape[:-1], result.shape[1]))


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (rows, size) that the integers of `input` name; row `padding_idx` gets no gradient.

    IndexError for a row that is not there, RuntimeError for an input that does not hold integers.

    >>> embedding(torch.tensor([1, 0, 1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise NotImplementedError("minigrad's embedding has no max_norm, scale_grad_by_freq and sparse")
    rows = weight.shape[0]
    padding_idx = demand_row(padding_idx, rows)
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if input.dtype.scalar_type not in ("Long", "Int"):
        kind = "CPUBoolType" if input.dtype.scalar_type == "Bool" else input.dtype.tensor_type
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{kind} instead (while checking arguments for embedding)"
        )
    chosen = np.array(input._array)
    if ((chosen < 0) | (chosen >= rows)).any():
        raise IndexError("index out of range in self")
    result = layer.Embedding.apply(weight, rows=chosen, padding=-1 if padding_idx is None else padding_idx)
    return saved.guard(result, input)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """(input - mean) / √(variance + eps) · weight + bias, each over the last axes, of sizes `normalized_shape`.

    RuntimeError if the shapes or the dtypes do not meet.

    >>> layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    demand_tensor("layer_norm", input)
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError(
            "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
            f"{type(normalized_shape).__name__}"
        )
    sizes = list(normalized_shape)
    if not sizes:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and list(each.shape) != sizes:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(each.shape)} and normalized_shape = {sizes}"
            )
    if list(input.shape[-len(sizes) :]) != sizes:
        expected = ", ".join(["*", *[str(size) for size in sizes]])
        raise RuntimeError(
            f"Given normalized_shape={sizes}, expected input with shape [{expected}], but got input of size"
            f"{list(input.shape)}"
        )
    demand_kernel("LayerNormKernelImpl", input)
    for each in (weight, bias):
        if each is not None and each.dtype is not input.dtype:
            narrow = f"expect parameter to have scalar type of {input.dtype.scalar_type}"
            wide = "all inputs must share same datatype."
            raise RuntimeError(f"mixed dtype (CPU): {narrow if input.dtype.scalar_type == 'Float' else wide}")
    return layer.NativeLayerNorm.apply(
        input, 1 if weight is None else weight, 0 if bias is None else bias, axes=len(sizes), eps=eps
    )


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros in the place of entries, each with probability p; the others times 1 / (1 - p). Only if `training`.

    ValueError for a p outside [0, 1].

    >>> dropout(torch.ones(3), training=False)
    tensor([1., 1., 1.])
    """
    demand_probability(p)
    demand_tensor("dropout_" if inplace else "dropout", input)
    if not training or p == 0 or not input.numel():
        return input
    if not input.dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.scalar_type}")
    noise = Tensor._of(random.dropout_mask(input, p))
    return changes.change(input, scalar.Mul.apply, noise) if inplace else scalar.Mul.apply(input, noise)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class number of an int64 tensor a row of zeros with a 1 at that place; a new last axis.

    RuntimeError for another dtype, a negative class, or one that is not below `num_classes` (-1: the largest + 1).

    >>> one_hot(torch.tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    demand_tensor("one_hot", tensor)
    if tensor.dtype.scalar_type != "Long":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    numbers = np.asarray(tensor._array)
    if not numbers.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if numbers.size and numbers.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    classes = int(numbers.max()) + 1 if num_classes == -1 else num_classes
    if numbers.size and numbers.max() >= classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return Tensor._of((numbers[..., None] == np.arange(classes)).astype(np.int64))


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input divided by its p-norm along `dim`, or by eps where the norm is smaller.

    >>> normalize(torch.tensor([3.0, 4.0]), dim=0)
    tensor([0.6000, 0.8000])
    """
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Σ x1·x2 / (‖x1‖ · ‖x2‖) along `dim`, no norm counting as less than eps. RuntimeError for integers.

    >>> cosine_similarity(torch.tensor([3.0, 4.0]), torch.tensor([4.0, 3.0]), dim=0)
    tensor(0.9600)
    """
    if not (x1.dtype.is_floating_point or x2.dtype.is_floating_point):
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {(x1 * x2).dtype.scalar_type}"
        )
    x1, x2 = broadcast(x1, x2)
    norms = [x.norm(2, dim, keepdim=True).clone() for x in (x1, x2)]
    with leaf.no_grad():
        for norm in norms:
            norm.clamp_(min=eps)
    return ((x1 / norms[0]) * (x2 / norms[1])).sum(dim)


# --- activations ---------------------------------------------------------------------------------


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0); the derivative at 0 is 0.

    >>> relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    demand_tensor("relu_" if inplace else "relu", input)
    return input.relu_() if inplace else input.relu()


def relu_(input: Tensor) -> Tensor:
    """`relu` in place.

    >>> relu_(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return relu(input, inplace=True)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input. NotImplementedError for integers.

    >>> leaky_relu(torch.tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    _demand_floating("leaky_relu", input, inplace)
    if inplace:
        return changes.change(input, activation.LeakyReluOfResult.apply, slope=negative_slope)
    return activation.LeakyRelu.apply(input, slope=negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) - 1). NotImplementedError for integers.

    >>> elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    _demand_floating("elu", input, inplace)
    if inplace:
        return changes.change(input, activation.EluOfResult.apply, alpha=alpha)
    return activation.Elu.apply(input, alpha=alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input). NotImplementedError for integers.

    >>> silu(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311])
    """
    _demand_floating("silu", input, inplace)
    return changes.change(input, activation.Silu.apply) if inplace else activation.Silu.apply(input)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """input · Φ(input), Φ the normal distribution's, or its approximation by "tanh". NotImplementedError for integers.

    >>> gelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    demand_tensor("gelu", input)
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    demand_kernel("GeluKernelImpl", input)
    return activation.Gelu.apply(input, approximate=approximate)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta, and input itself where beta · input is beyond the threshold.

    >>> import minigrad as torch
    >>> softplus(torch.tensor([0.0, 1.0]))
    tensor([0.6931, 1.3133])
    """
    demand_tensor("softplus", input)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"softplus_cpu\" not implemented for '{input.dtype.scalar_type}'")
    return activation.Softplus.apply(input, beta=beta, threshold=threshold)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    >>> sigmoid(torch.tensor([0.0]))
    tensor([0.5000])
    """
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    >>> tanh(torch.tensor([0.0]))
    tensor([0.])
    """
    return input.tanh()


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input) / Σ exp(input) along `dim`. A UserWarning where `dim` is missing (`_stacklevel` has no effect).

    >>> softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _along("softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """input - log Σ exp(input) along `dim`. A UserWarning where `dim` is missing (`_stacklevel` has no effect).

    >>> log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return _along("log_softmax", input, dim, dtype)


def demand_row(index: int | None, rows: int) -> int | None:
    """The number of a row, counted from the first one; None stays. AssertionError for a row that is not there."""
    if index is not None and not -rows <= index < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return None if index is None else index % rows


def demand_probability(p: float) -> None:
    """ValueError outside [0, 1]."""
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _along(name: str, input: Tensor, dim: int | None, dtype: Any) -> Tensor:
    if dim is None:
        warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
            "argument."
        )
        dim = 0 if input.ndim in (0, 1, 3) else 1
    method = getattr(input, name)
    return method(dim) if dtype is None else method(dim, dtype=dtype)


def _demand_floating(name: str, input: Any, inplace: bool) -> None:
    demand_tensor(f"{name}_" if inplace else name, input)
    demand_kernel(f"{name}_cpu", input)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad.nn.functional has no {name!r} (torch.nn.functional may have it)")
