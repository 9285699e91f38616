"""Initial values for parameters: each function fills a tensor in place, unrecorded, and returns it.
Mirrors https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math

from minigrad import leaf
from minigrad.compat import unsupported
from minigrad.compat.messages import warn
from minigrad.ops import creation
from minigrad.ops.creation import drawing
from minigrad.random import Generator
from minigrad.tensor import Tensor

GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4, "linear": 1, "sigmoid": 1}
GAINS |= {f"conv{kind}{dims}d": 1 for kind in ("", "_transpose") for dims in (1, 2, 3)}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The inverse of how much an activation shrinks values. ValueError for an activation without such a number."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform numbers from [a, b)."""
    with leaf.no_grad():
        return drawing.uniform_(tensor, a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal numbers."""
    with leaf.no_grad():
        return drawing.normal_(tensor, mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    with leaf.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix, zeros elsewhere. ValueError for another tensor."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with leaf.no_grad():
        return tensor.copy_(creation.eye(*tensor.shape))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform in ±gain · √(6 / (fan_in + fan_out)). ValueError for fewer than two dimensions."""
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(_fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal with deviation gain · √(2 / (fan_in + fan_out)). ValueError for fewer than two dimensions."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform in ±gain · √(3 / fan). ValueError for fewer than two dimensions, a UserWarning for an empty tensor."""
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal with deviation gain / √fan. ValueError for fewer than two dimensions, a UserWarning if it is empty."""
    return normal_(tensor, 0, _deviation(tensor, a, mode, nonlinearity), generator)


def _fans(tensor: Tensor) -> tuple[int, int]:
    """The number of values into one output, and out of one input, of a weight (out, in, …)."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *field = tensor.shape
    return inputs * math.prod(field), outputs * math.prod(field)


def _deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """gain / √fan, with the fan given by the mode; any number for an empty tensor."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return 1.0
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return calculate_gain(nonlinearity, a) / math.sqrt(_fans(tensor)[modes.index(mode.lower())])


__getattr__ = unsupported.lacking(__name__)
