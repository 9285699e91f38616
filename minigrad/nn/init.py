"""First values for parameters: each function fills a tensor in place, unrecorded, and returns it.

Mirrors https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math
from typing import Any

from minigrad import leaf
from minigrad.compat.messages import warn
from minigrad.ops import creation, random_inplace
from minigrad.tensor import Tensor


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """By how much an activation shrinks values, inverted. ValueError for an activation without such a number."""
    if nonlinearity == "leaky_relu":
        if isinstance(param, bool) or not isinstance(param, (int, float, type(None))):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    convolutions = [f"conv{kind}{dims}d" for kind in ("", "_transpose") for dims in (1, 2, 3)]
    gains = {**dict.fromkeys(["linear", "sigmoid", *convolutions], 1)}
    gains |= {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}  # type: ignore[dict-item]
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform numbers from [a, b)."""
    with leaf.no_grad():
        return random_inplace.uniform_(tensor, a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Normal numbers."""
    with leaf.no_grad():
        return random_inplace.normal_(tensor, mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    with leaf.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    with leaf.no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix. ValueError unless there are two dimensions."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with leaf.no_grad():
        return tensor.copy_(creation.eye(*tensor.shape))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform in ±gain · √(6 / (fan_in + fan_out)). ValueError for fewer than two dimensions."""
    std = gain * math.sqrt(2.0 / float(sum(_fans(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal with deviation gain · √(2 / (fan_in + fan_out)). ValueError for fewer than two dimensions."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Uniform in ±gain · √(3 / fan). ValueError for fewer than two dimensions, a UserWarning for an empty tensor."""
    if 0 in tensor.shape:
        return _nothing_to_do(tensor)
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Normal with deviation gain / √fan. ValueError for fewer than two dimensions, a UserWarning if it is empty."""
    if 0 in tensor.shape:
        return _nothing_to_do(tensor)
    return normal_(tensor, 0, _deviation(tensor, a, mode, nonlinearity), generator)


def _fans(tensor: Tensor) -> tuple[int, int]:
    """How many values flow into one output, and out of one input, of a weight (out, in, …)."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *field = tensor.shape
    size = math.prod(field)
    return inputs * size, outputs * size


def _deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """gain / √fan, with the fan that the mode names."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    fan = _fans(tensor)[modes.index(mode.lower())]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _nothing_to_do(tensor: Tensor) -> Tensor:
    warn("Initializing zero-element tensors is a no-op")
    return tensor


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad.nn.init has no {name!r} (torch.nn.init may have it)")
