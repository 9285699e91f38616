"""The layers, and modules that store a function's settings and call it: activations and losses.
Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from minigrad import leaf
from minigrad.compat.pickling import from_text
from minigrad.compat.unsupported import Absent
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.losses import old_reduction
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops import creation
from minigrad.tensor import Tensor


class _Layer(Module):
    """A layer whose settings are its `arguments`; its repr shows them as `text` says."""

    text: str

    def _begin(self, given: dict[str, Any], **shapes: Any) -> None:
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


class Linear(
    _Layer, home="torch.nn.modules.linear", arguments="in_features, out_features, bias=True, device=None, dtype=None"
):
    """x @ weightᵀ + bias, for x (…, in_features); weight (out_features, in_features), bias (out_features) or None,
    which begin uniform in ±1/√in_features, as torch's for the same seed. RuntimeError for integers.
    """

    text = "in_features={in_features}, out_features={out_features}, bias={bias}"

    def _start(self, given: dict[str, Any]) -> None:
        inputs, outputs = given["in_features"], given["out_features"]
        self._begin(given, weight=(outputs, inputs), bias=outputs if given["bias"] else None)

    def reset_parameters(self) -> None:
        """Draw new initial values: the weight row by row, then the bias."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)


class Identity(Module, home="torch.nn.modules.linear", arguments="*args, **kwargs"):
    """Returns its input; constructor arguments are ignored."""

    def _start(self, given: dict[str, Any]) -> None:
        Module.__init__(self)

    def forward(self, input: Any) -> Any:
        return input


class LayerNorm(
    _Layer,
    home="torch.nn.modules.normalization",
    arguments="normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None",
):
    """(x - mean) / √(variance + eps) · weight + bias, over the last dimensions, of sizes `normalized_shape`."""

    text = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"

    def _start(self, given: dict[str, Any]) -> None:
        size = given["normalized_shape"]
        given |= {"normalized_shape": (size,) if isinstance(size, int) else tuple(size)}
        self._scale(given, given["normalized_shape"], given["elementwise_affine"])

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class GroupNorm(
    _Layer,
    home="torch.nn.modules.normalization",
    arguments="num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True",
):
    """`group_norm` as a module, for x (batch, num_channels, …). ValueError unless the groups are equal."""

    text = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"

    def _start(self, given: dict[str, Any]) -> None:
        groups, channels = given["num_groups"], given["num_channels"]
        if channels % groups != 0:
            raise ValueError(f"num_channels ({channels}) must be divisible by num_groups ({groups})")
        self._scale(given, channels, given["affine"])

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class _BatchNorm(
    _Layer,
    home="torch.nn.modules.batchnorm",
    arguments="num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, "
    "dtype=None, *, bias=True",
):
    """`batch_norm` as a module with running statistics; `momentum` None takes the mean of all batches so far."""

    axes: tuple[int, ...]  # how many axes an input may have

    text = "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, "
    text += "track_running_stats={track_running_stats}"

    def _start(self, given: dict[str, Any]) -> None:
        size, dtype, tracks = given["num_features"], given["dtype"], given["track_running_stats"]
        self._scale(given, size, given["affine"])
        for name, value in (("running_mean", 0.0), ("running_var", 1.0)):
            self.register_buffer(name, creation.full((size,), value, dtype=dtype) if tracks else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0) if tracks else None)

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
            expected = " or ".join([f"{each}D" for each in self.axes])
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


class Embedding(
    _Layer,
    home="torch.nn.modules.sparse",
    arguments="num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None",
):
    """Rows of weight (num_embeddings, embedding_dim); row `padding_idx` is 0, untrained, else AssertionError."""

    from_pretrained = Absent("from_pretrained", "Embedding")

    def _start(self, given: dict[str, Any]) -> None:
        given["padding_idx"] = F.demand_row(given["padding_idx"], given["num_embeddings"])
        self._begin(given, weight=(given["num_embeddings"], given["embedding_dim"]))

    def reset_parameters(self) -> None:
        """Draw new initial values from the normal distribution."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with leaf.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)

    @property
    def text(self) -> str:  # type: ignore[override]
        """The settings in the repr."""
        return "{num_embeddings}, {embedding_dim}" + ", padding_idx={padding_idx}" * (self.padding_idx is not None)


class PReLU(
    _Layer, home="torch.nn.modules.activation", arguments="num_parameters=1, init=0.25, device=None, dtype=None"
):
    """`prelu` as a module: `num_parameters` weights, one or as many as channels, which begin at `init`."""

    text = "num_parameters={num_parameters}"

    def _start(self, given: dict[str, Any]) -> None:
        self._begin(given, weight=(given["num_parameters"],))

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


# --- made from functions -------------------------------------------------------------------------

BUFFERS = ("weight", "pos_weight")  # settings of a loss that are part of its state
OF_OLD = ("size_average", "reduce")  # converted to `reduction`
WITHOUT = ("_stacklevel", "dtype")  # arguments that only the functions have


class _Calling(Module):
    """The base of the modules made by `calling`."""

    shown: tuple[str, ...] = ()

    def _keep(self, given: dict[str, Any]) -> None:
        """Take the arguments of `__init__` as attributes and buffers."""
        super().__init__()
        old = [given.pop(each, None) for each in OF_OLD]
        if old != [None, None]:
            given["reduction"] = old_reduction(*old)
        for name, value in given.items():
            if name in BUFFERS:
                self.register_buffer(name, value)
            elif name != "self":
                setattr(self, name, value)

    def extra_repr(self) -> str:
        values = [(name, getattr(self, name)) for name in self.shown]
        return ", ".join([f"{name}={value!r}" for name, value in values if name != "inplace" or value])


def flatten(input: Tensor, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """The dimensions from start_dim to end_dim as one; by default the first, the batch, is kept."""
    return input.flatten(start_dim, end_dim)


def calling(name: str, function: Callable, home: str = "") -> type[Module]:
    """A module that calls a function of tensors, whose defaults are its settings and, unless it is a loss, its repr."""
    given = [each for each in inspect.signature(function).parameters.values() if each.name not in WITHOUT]
    tensors = ", ".join([each.name for each in given if each.default is each.empty])
    settings = {each.name: each.default for each in given if each.default is not each.empty}
    kept = [each for each in settings if each not in OF_OLD]
    # Python functions with these arguments, so that Python itself reports wrong calls
    texts = {
        "__init__": f"lambda {', '.join(['self', *settings])}: self._keep(locals())",
        "forward": f"lambda self, {tensors}: call({tensors}, {', '.join([f'{each}=self.{each}' for each in kept])})",
    }
    methods = {each: from_text(text, __file__, f"{name}.{each}", {"call": function}) for each, text in texts.items()}
    methods["__init__"].__defaults__ = tuple(settings.values())
    is_loss = "reduction" in settings
    text = f"`{function.__name__}` as a module: {function.__doc__}"
    body = {**methods, "__module__": __name__, "__doc__": text, "shown": () if is_loss else tuple(kept)}
    return type(name, (_Calling,), body, home=f"torch.nn.modules.{home or ('loss' if is_loss else 'activation')}")


CALLING = """
    ReLU=relu LeakyReLU=leaky_relu ELU=elu Softplus=softplus GELU=gelu Mish=mish Hardtanh=hardtanh ReLU6=relu6
    SiLU=silu Sigmoid=sigmoid LogSigmoid=logsigmoid Tanh=tanh Softmax=softmax LogSoftmax=log_softmax
    MSELoss=mse_loss L1Loss=l1_loss SmoothL1Loss=smooth_l1_loss HuberLoss=huber_loss BCELoss=binary_cross_entropy
    BCEWithLogitsLoss=binary_cross_entropy_with_logits NLLLoss=nll_loss KLDivLoss=kl_div
    CrossEntropyLoss=cross_entropy HingeEmbeddingLoss=hinge_embedding_loss MarginRankingLoss=margin_ranking_loss
"""
for _name, _function in [each.split("=") for each in CALLING.split()]:
    globals()[_name] = calling(_name, getattr(F, _function))
Flatten = calling("Flatten", flatten, "flatten")
