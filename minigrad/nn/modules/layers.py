"""The layers; with the activations and losses, all modules that hold no others.
Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigrad import leaf
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.activation import *  # noqa: F403
from minigrad.nn.modules.loss import *  # noqa: F403
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops import creation
from minigrad.ops.argument_parser import Dtype
from minigrad.tensor import Tensor


class _Layer(Module):
    """A layer whose settings are the arguments of its `__init__`; its repr shows them as `text` says."""

    text: str

    def _begin(self, given: dict[str, Any], **shapes: object) -> None:
        """Keep the settings, and begin with parameters of these shapes; None for one that is not there."""
        Module.__init__(self)
        options = {name: given.pop(name) for name in ("device", "dtype")}
        self.__dict__.update({name: value for name, value in given.items() if name not in ("self", *shapes)})
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else Parameter(creation.empty(shape, **options)))
        self.reset_parameters()

    def _scale(self, given: dict[str, Any], size: Any, affine: bool) -> None:
        """Begin with a weight and a bias of one size, if there are to be any."""
        self._begin(given, weight=size if affine else None, bias=size if affine and given["bias"] else None)

    def extra_repr(self) -> str:
        return self.text.format(**vars(self), bias=self._parameters.get("bias") is not None)

    def reset_parameters(self) -> None:
        """Weight 1 and bias 0."""
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            if self._parameters[name] is not None:
                fill(self._parameters[name])


class Linear(_Layer, home="torch.nn.modules.linear"):
    """x @ weightᵀ + bias, for x (…, in_features); weight (out_features, in_features), bias (out_features) or None,
    which begin uniform in ±1/√in_features, as torch's for the same seed. RuntimeError for integers.
    """

    text = "in_features={in_features}, out_features={out_features}, bias={bias}"

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: object = None, dtype: Dtype | None = None
    ) -> None:
        self._begin(locals(), weight=(out_features, in_features), bias=out_features if bias else None)

    def reset_parameters(self) -> None:
        """Draw new initial values: the weight row by row, then the bias."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)


class Identity(Module, home="torch.nn.modules.linear"):
    """Returns its input; constructor arguments are ignored."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class LayerNorm(_Layer, home="torch.nn.modules.normalization"):
    """(x - mean) / √(variance + eps) · weight + bias, over the last dimensions, of sizes `normalized_shape`."""

    text = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: object = None,
        dtype: Dtype | None = None,
    ) -> None:
        normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self._scale(locals(), normalized_shape, elementwise_affine)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class GroupNorm(_Layer, home="torch.nn.modules.normalization"):
    """`group_norm` as a module, for x (batch, num_channels, …). ValueError unless the groups are equal."""

    text = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        device: object = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self._scale(locals(), num_channels, affine)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class _BatchNorm(_Layer, home="torch.nn.modules.batchnorm"):
    """`batch_norm` as a module with running statistics; `momentum` None takes the mean of all batches so far."""

    axes: tuple[int, ...]  # how many axes an input may have

    text = "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, "
    text += "track_running_stats={track_running_stats}"

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: object = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        self._scale(locals(), num_features, affine)
        for name, value in (("running_mean", 0.0), ("running_var", 1.0)):
            first = creation.full((num_features,), value, dtype=dtype) if track_running_stats else None
            self.register_buffer(name, first)
        self.register_buffer("num_batches_tracked", creation.tensor(0) if track_running_stats else None)

    def reset_running_stats(self) -> None:
        """Means 0, variances 1, no batch so far."""
        if self._buffers.get("running_mean") is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, and no statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in self.axes:
            expected = " or ".join([f"{axis}D" for axis in self.axes])
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")
        share = self.momentum or 0.0
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            share = 1.0 / float(self.num_batches_tracked) if self.momentum is None else share
        statistics = self.running_mean, self.running_var
        training = self.training or statistics == (None, None)
        return F.batch_norm(input, *statistics, self.weight, self.bias, training, share, self.eps)


class BatchNorm1d(_BatchNorm, home="torch.nn.modules.batchnorm"):
    """Batch norm for x (batch, num_features) or (batch, num_features, length), with running statistics."""

    axes = (2, 3)


class BatchNorm2d(_BatchNorm, home="torch.nn.modules.batchnorm"):
    """Batch norm for x (batch, num_features, height, width), with running statistics."""

    axes = (4,)


class Embedding(_Layer, home="torch.nn.modules.sparse"):
    """Rows of weight (num_embeddings, embedding_dim); row `padding_idx` is 0, untrained, else AssertionError."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: object = None,
        dtype: Dtype | None = None,
    ) -> None:
        padding_idx = F.demand_row(padding_idx, num_embeddings)
        given = {name: value for name, value in locals().items() if name not in ("_weight", "_freeze", "__class__")}
        if _weight is None:
            self._begin(given, weight=(num_embeddings, embedding_dim))
            return
        if [*_weight.shape] != [num_embeddings, embedding_dim]:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self._begin(given)
        self.weight = Parameter(_weight, not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A layer with this weight (rows, size), which is not trained unless `freeze` is False."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, size = embeddings.shape
        settings = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, size, *settings, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self) -> None:
        """Draw new initial values from the normal distribution."""
        if "weight" not in self._parameters:
            return  # it is given
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with leaf.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        settings = self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        return F.embedding(input, self.weight, self.padding_idx, *settings)

    @property
    def text(self) -> str:  # type: ignore[override]
        """The settings in the repr."""
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}
        shown = [f", {name}={{{name}}}" for name, value in usual.items() if getattr(self, name) != value]
        return "{num_embeddings}, {embedding_dim}" + "".join(shown)


class PReLU(_Layer, home="torch.nn.modules.activation"):
    """`prelu` as a module: `num_parameters` weights, one or as many as channels, which begin at `init`."""

    text = "num_parameters={num_parameters}"

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: object = None, dtype: Dtype | None = None
    ) -> None:
        self._begin(locals(), weight=(num_parameters,))

    def reset_parameters(self) -> None:
        """All weights at their first value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class Dropout(_Layer, home="torch.nn.modules.dropout"):
    """`dropout` as a module, which changes nothing in evaluation mode. ValueError for a p outside [0, 1]."""

    text = "p={p}, inplace={inplace}"

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        F.demand_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Flatten(Module, home="torch.nn.modules.flatten"):
    """The dimensions from start_dim to end_dim as one; by default the first, the batch, is kept."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
