"""minigrad: a small engine that prints what torch prints, and the course built on it.

`import minigrad as torch` and run a snippet: the names here are torch's. The engine is read in this order:
`scalar`, `upstream`, `leaf` (the floors) and `tensor`.
"""

from __future__ import annotations

from typing import Any

from minigrad.tensor import Size, Tensor, legacy  # first: the floors build on it

# isort: split
from minigrad import nn
from minigrad.dtypes import bool_ as bool
from minigrad.dtypes import dtype, float16, float32, float64, int8, int16, int32, int64, uint8
from minigrad.operations import functions, register
from minigrad.operations.creation import from_numpy, full, ones, ones_like, tensor, zeros, zeros_like
from minigrad.printing import set_printoptions

__version__ = "0.1.0"

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64


def FloatTensor(*values: Any) -> Tensor:
    """The constructor of old: float32 values, or a shape."""
    return legacy(float32, *values)


def DoubleTensor(*values: Any) -> Tensor:
    """The constructor of old: float64 values, or a shape."""
    return legacy(float64, *values)


def LongTensor(*values: Any) -> Tensor:
    """The constructor of old: int64 values, or a shape."""
    return legacy(int64, *values)


def equal(input: Tensor, other: Tensor) -> Any:
    """True if both have the same shape and the same entries."""
    return input.shape == other.shape and (input._array == other._array).all().item()


def is_tensor(value: Any) -> Any:
    """True for a Tensor."""
    return isinstance(value, Tensor)


def __getattr__(name: str) -> Any:
    try:
        return functions[name]
    except KeyError:
        raise AttributeError(f"minigrad has no {name!r} (torch may have it)") from None


__all__ = [
    "DoubleTensor",
    "FloatTensor",
    "LongTensor",
    "Size",
    "Tensor",
    "bool",
    "double",
    "dtype",
    "equal",
    "float",
    "float16",
    "float32",
    "float64",
    "from_numpy",
    "full",
    "half",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_tensor",
    "long",
    "nn",
    "ones",
    "ones_like",
    "register",
    "set_printoptions",
    "short",
    "tensor",
    "uint8",
    "zeros",
    "zeros_like",
]
