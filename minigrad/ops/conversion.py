"""The same entries in another dtype, or in a copy; and the one device there is.

A copy is an operation like any other: it has a node, and its gradient goes back in the dtype of the original. What
has the dtype already is not copied, it is the tensor itself.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes, pickling
from minigrad.ops import functions, shaping
from minigrad.ops.arguments import define, define_property
from minigrad.ops.forms import fitting
from minigrad.scalar import Function
from minigrad.tensor import Tensor

# --- where a tensor lies -------------------------------------------------------------------------

KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)


class device:
    """A device, as `torch.device("cpu")`. minigrad has this one; others can be named, and nothing can be moved there.

    >>> device("cpu"), str(device("cuda:0"))
    (device(type='cpu'), 'cuda:0')
    """

    __module__ = "torch"
    __slots__ = ("type", "index")

    def __init__(self, type: Any, index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        kind, _, number = type.partition(":")
        if not kind:
            raise RuntimeError("Device string must not be empty")
        if not kind.replace("_", "").isalpha() or (type.count(":") and not number.isdigit()):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if kind not in KINDS.split(", "):
            raise RuntimeError(f"Expected one of {KINDS} device type at start of device string: {kind}")
        self.type: str = kind
        self.index = int(number) if number else index

    def __reduce__(self) -> Any:
        return pickling.made, (*pickling.place(device), str(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


CPU = device("cpu")


class layout:
    """How the entries of a tensor are kept: `torch.strided`, an array, is the only way here.

    >>> Tensor([1.]).layout
    torch.strided
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "torch.strided"


STRIDED = layout()


def demand_cpu(place: Any) -> None:
    """Nothing for the CPU, an error for a device that is not there: torch's own where it was built for the CPU."""
    found = place if isinstance(place, device) else device(place)
    if found.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if found.type == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if found.type != "cpu":
        raise NotImplementedError(f"minigrad has the CPU only, not the device {found}")


# --- copies --------------------------------------------------------------------------------------


class ToCopy(Function):
    """The entries in another dtype: the upstream gradient, cast back where it leaves the node."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, dtype: np.dtype) -> Any:
        return a.astype(dtype, order=shaping.order_of(a))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


class MemoryFormat:
    """How the entries of a copy lie in memory: as those of the original, or row by row."""

    __slots__ = ("name", "in_rows")

    def __init__(self, name: str, in_rows: bool):
        self.name, self.in_rows = name, in_rows

    def __repr__(self) -> str:
        return f"torch.{self.name}"


FORMATS = (MemoryFormat("preserve_format", False), MemoryFormat("contiguous_format", True))


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy in memory of its own, inside the graph.

    It lies in memory as the original does; with `torch.contiguous_format` row by row.

    >>> x = Tensor([1., 2.])
    >>> y = x.clone()
    >>> y[0] = 5.
    >>> x, y
    (tensor([1., 2.]), tensor([5., 2.]))
    """
    return shaping.Clone.apply(input, in_rows=getattr(memory_format, "in_rows", False))


def to(input: Tensor, *target: Any, **settings: Any) -> Tensor:
    """The tensor in another dtype, given as such, or as that of another tensor; itself if nothing changes.

    `copy=True` copies in any case. The device may be named; AssertionError or NotImplementedError if it is not the CPU.

    >>> Tensor([1.5, 2.5]).to(dtypes.int64)
    tensor([1, 2])
    """
    if len(target) == 1 and not settings and isinstance(target[0], dtypes.dtype):
        dtype, copy = target[0], False
    else:
        from minigrad.ops import overloads  # here, as most programs never need it

        _, asked = fitting(overloads.forms_of("to", True), target, settings)
        dtype = asked["tensor"].dtype if "tensor" in asked else asked["dtype"]
        if dtype is complex:
            raise NotImplementedError("minigrad has no complex numbers")
        dtype, copy = dtypes.OF_PYTHON.get(dtype, dtype) or input.dtype, asked["copy"]
        if asked.get("device") is not None:
            demand_cpu(asked["device"])
    return input if dtype is input.dtype and not copy else ToCopy.apply(input, dtype=dtype.numpy)


def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type; with a dtype, or the name of a type, the tensor in that dtype.

    >>> Tensor([1.]).type()
    'torch.FloatTensor'
    """
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
    """The tensor in the dtype of another one.

    >>> Tensor([1.5]).type_as(Tensor([1]).long())
    tensor([1])
    """
    return to(input, other.dtype)


def _caster(dtype: dtypes.dtype) -> Callable[..., Tensor]:
    def cast(input: Tensor, *, memory_format: Any = None) -> Tensor:
        return to(input, dtype)

    cast.__doc__ = f"The tensor in {dtype}; itself if it has that dtype."
    return cast


def cpu(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself: it lies on the CPU.

    >>> x = Tensor([1.])
    >>> x.cpu() is x
    True
    """
    return input


def cuda(input: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """Always the AssertionError of a torch without CUDA: minigrad has the CPU only."""
    raise AssertionError("Torch not compiled with CUDA enabled")


def get_device(input: Tensor) -> int:
    """The number of the device: -1, the CPU has none.

    >>> Tensor([1.]).get_device()
    -1
    """
    return -1


# --- names ---------------------------------------------------------------------------------------

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
functions.update({each.name: each for each in FORMATS})  # type: ignore[misc]
