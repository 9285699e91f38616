"""The same entries in another dtype, or in a copy; and the one device there is.

A copy is an operation like any other: it has a node, and its gradient goes back in the dtype of the original. What
has the dtype already is not copied, it is the tensor itself.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.device import CONTIGUOUS, CPU, PRESERVED, STRIDED, demand_cpu, device, layout
from minigrad.ops import argument_parser, functions, shaping
from minigrad.ops.registry import define, define_property
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class ToCopy(Function):
    """The entries in another dtype: the upstream gradient, cast back where it leaves the node."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, dtype: np.dtype) -> Any:
        return a.astype(dtype, order=shaping.order_of(a))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy in memory of its own, inside the graph. It lies in memory as the original does; with
    `torch.contiguous_format` row by row.
    """
    return shaping.Clone.apply(input, in_rows=getattr(memory_format, "in_rows", False))


def to(input: Tensor, *target: Any, **settings: Any) -> Tensor:
    """The tensor in another dtype, given as such, or as that of another tensor; itself if nothing changes. `copy=True`
    copies in any case. The device may be named; AssertionError or NotImplementedError if it is not the CPU.
    """
    if len(target) == 1 and not settings and isinstance(target[0], dtypes.dtype):
        dtype, copy = target[0], False
    else:
        _, asked = argument_parser.fitting(argument_parser.forms_of("to", True), target, settings)
        dtype = asked["tensor"].dtype if "tensor" in asked else asked["dtype"]
        dtype, copy = dtype or input.dtype, asked["copy"]
        demand_cpu(asked.get("device"))
    return input if dtype is input.dtype and not copy else ToCopy.apply(input, dtype=dtype.numpy)


def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type; with a dtype, or the name of a type, the tensor in that dtype."""
    if dtype is None:
        return input.dtype.tensor_type
    if isinstance(dtype, str):
        found = [each for each in dtypes.ALL if each.tensor_type == dtype]
        if not found:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = found[0]
    dtype = dtypes.OF_PYTHON.get(dtype, dtype)
    if callable(dtype):  # `x.type(torch.DoubleTensor)`
        return type_(input, f"torch.{dtype.__name__}")
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    return to(input, dtype)


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another one."""
    return to(input, other.dtype)


def _caster(dtype: dtypes.dtype) -> Callable[..., Tensor]:
    def cast(input: Tensor, *, memory_format: Any = None) -> Tensor:
        return to(input, dtype)

    cast.__doc__ = f"The tensor in {dtype}; itself if it has that dtype."
    return cast


def cpu(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself: it lies on the CPU."""
    return input


def cuda(input: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """Always the AssertionError of a torch without CUDA: minigrad has the CPU only."""
    raise AssertionError("Torch not compiled with CUDA enabled")


def get_device(input: Tensor) -> int:
    """The number of the device: -1, the CPU has none."""
    return -1


define("clone", clone)
for _name, _dtype in {
    "double": dtypes.float64,
    "float": dtypes.float32,
    "half": dtypes.float16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
}.items():
    define(_name, _caster(_dtype), function=False)
define("type", type_, function=False)
define("type_as", type_as, function=False)
define("cpu", cpu, function=False)
define("cuda", cuda, function=False)
define("get_device", get_device)
define_property("device", lambda input: CPU)
define_property("layout", lambda input: STRIDED)
define_property("name", lambda input: None)  # torch lets nobody give one
define_property("is_cpu", lambda input: True)
define_property("is_cuda", lambda input: False)
setattr(Tensor, "to", to)  # noqa: B010  (it takes its arguments in three orders)
functions["device"] = device
functions["layout"], functions["strided"] = layout, STRIDED  # type: ignore[assignment]
functions["to"] = to
functions.update({each.name: each for each in (PRESERVED, CONTIGUOUS)})  # type: ignore[misc]
