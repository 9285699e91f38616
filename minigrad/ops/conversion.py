"""The same entries in another dtype, or in a copy; and the only device. A copy is an operation like any other:
it has a node, and its gradient goes back in the dtype of the original. A tensor that already has the dtype is not
copied; the result is the tensor itself.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.compat import dtypes
from minigrad.compat.device import CONTIGUOUS, CPU, PRESERVED, STRIDED, demand_cpu, device, layout
from minigrad.ops import argument_parser, functions, shaping
from minigrad.ops.registry import define, define_all, define_property
from minigrad.scalar import Function
from minigrad.tensor import Tensor

OPTIONS = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
FORMS = ("torch.device device = None, torch.dtype dtype = None", "torch.dtype dtype", "Tensor tensor")
OF_TO = [argument_parser.Form.read("to", f"{form}, {OPTIONS}") for form in FORMS]


class ToCopy(Function):
    """The entries in another dtype: the upstream gradient, cast back where it leaves the node."""

    forward = staticmethod(lambda ctx, a, dtype: a.astype(dtype, order=shaping.order_of(a)))
    backward = staticmethod(lambda ctx, grad_output: grad_output)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy inside the graph, with the original's memory layout; with `torch.contiguous_format` row by row."""
    return shaping.Clone.apply(input, in_rows=getattr(memory_format, "in_rows", False))


def to(input: Tensor, *target: Any, **settings: Any) -> Tensor:
    """The tensor in another dtype, or that of another tensor; itself if nothing changes and `copy` is False."""
    if len(target) == 1 and not settings and isinstance(target[0], dtypes.dtype):
        dtype, copy = target[0], False
    else:
        _, asked = argument_parser.fitting(OF_TO, target, settings)
        dtype = asked["tensor"].dtype if "tensor" in asked else asked["dtype"]
        dtype, copy = dtype or input.dtype, asked["copy"]
        demand_cpu(asked.get("device"))
    return input if dtype is input.dtype and not copy else ToCopy.apply(input, dtype=dtype.numpy)


def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type; with a dtype, or the type or its name, the tensor in that dtype."""
    if dtype is None:
        return input.dtype.tensor_type
    name = dtype if isinstance(dtype, str) else f"torch.{dtype.__name__}" if hasattr(dtype, "__name__") else ""
    dtype = {each.tensor_type: each for each in dtypes.ALL}.get(name, dtypes.OF_PYTHON.get(dtype, dtype))
    if isinstance(dtype, str):
        raise ValueError(f"invalid type: '{dtype}'")
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
    """The tensor itself: it is already on the CPU."""
    return input


def cuda(input: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """Always the AssertionError of a torch without CUDA: minigrad has the CPU only."""
    raise AssertionError("Torch not compiled with CUDA enabled")


define("clone", clone)
OF_METHODS = {"double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16, "long": dtypes.int64}
OF_METHODS |= {"int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8}
for _name, _dtype in {**OF_METHODS, "bool": dtypes.bool_}.items():
    define(_name, _caster(_dtype), function=False)
define_all(globals(), "type=type_ type_as cpu cuda", function=False)
define_property("device", lambda input: CPU)
define_property("layout", lambda input: STRIDED)
define_property("name", lambda input: None)  # in torch nobody can set one
define_property("is_cpu", lambda input: True)
define_property("is_cuda", lambda input: False)
setattr(Tensor, "to", to)  # noqa: B010  (it takes its arguments in three orders)
functions["device"] = device
functions["layout"], functions["strided"] = layout, STRIDED  # type: ignore[assignment]
functions["to"] = to
functions.update({each.name: each for each in (PRESERVED, CONTIGUOUS)})  # type: ignore[misc]
