"""Tensors made from data, or from one value everywhere: `tensor`, `zeros`, `ones`, `full` and the like.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.compat.typenames import name_of_type
from minigrad.ops.argument_parser import accepts
from minigrad.ops.creation.data import array_of, shared
from minigrad.random import along_memory
from minigrad.tensor import Tensor

__all__ = ["as_tensor", "empty", "empty_like", "from_numpy", "full", "full_like", "ones", "ones_like", "tensor"]
__all__ += ["zeros", "zeros_like"]

# torch's names for the options of functions that make tensors
OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)
OUT = "Tensor out = None"
FORMAT = "torch.memory_format memory_format = None"
COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


def leaf_of(array: np.ndarray, requires_grad: bool) -> Tensor:
    """A leaf around `array`. RuntimeError for integers or bools that require grad."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    # without axes use a numpy number until its memory is shared: numpy computes five times faster with it
    return Tensor._of(array if array.ndim else array[()], bool(requires_grad))


makes = functools.partial(accepts, made=leaf_of)


DATA = "object data, *, torch.dtype dtype = None, torch.device device = None"


@makes(f"{DATA}, bool pin_memory = False, bool requires_grad = False")
def tensor(data: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A leaf with a copy of `data`: a number, nested sequences of numbers, a numpy array. The dtype is inferred: bool,
    int64 for ints, the default (float32) for floats, an array's own. ValueError for ragged sequences, TypeError or
    RuntimeError for what is not a number or does not fit the dtype.
    """
    if isinstance(data, Tensor):
        warn(COPY.format("torch.tensor"))
    return array_of(data, dtype, copy=True)


@makes(f"{DATA}, bool requires_grad = False", method=True)
def new_tensor(self: Tensor, data: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Like `tensor`, but in the dtype of this tensor."""
    if isinstance(data, Tensor):
        warn(COPY.format("tensor.new_tensor"))
    return array_of(data, dtype or self.dtype, copy=True)


@accepts(DATA)
def as_tensor(data: Any, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """`data` as a tensor: the tensor itself, a numpy array's own memory, a copy only if the dtype requires it."""
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    return Tensor._of(array_of(data, dtype, copy=False))


def from_numpy(array: np.ndarray, /) -> Tensor:
    """A tensor on the memory of a numpy array. TypeError for a dtype that torch does not have."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {name_of_type(array)})")
    return Tensor._of(shared(array))


def allocated(shape: tuple[int, ...], dtype: dtypes.dtype) -> np.ndarray:
    """Zeros. RuntimeError, in torch's words, for a negative size or too much memory."""
    if any(size < 0 for size in shape):
        wrong = next(size for size in shape if size < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {list(shape)}")
    needed = math.prod(shape) * dtype.numpy.itemsize
    if needed >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    try:
        return np.zeros(shape, dtype.numpy)
    except MemoryError:
        cause = "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to"
        raise RuntimeError(f"{cause} allocate {needed} bytes. Error code 12 (Cannot allocate memory)") from None


def allocated_like(input: Tensor, dtype: dtypes.dtype | None, memory_format: Any) -> np.ndarray:
    """Memory for a tensor like `input`, its entries in the same order unless the format is contiguous."""
    array, kind = np.asarray(input._array), (dtype or input.dtype).numpy
    if str(memory_format) == "torch.contiguous_format" or array.flags.c_contiguous:
        return np.empty(array.shape, kind)
    return along_memory(np.empty(array.size, kind), array)


def filled(array: np.ndarray, value: Any) -> np.ndarray:
    """The array, filled with the value. RuntimeError if its dtype cannot hold the value."""
    array[...] = dtypes.number_in(value, dtypes.of_array(array))
    return array


def making(name: str, doc: str, function: Callable, *texts: str, method: bool = False) -> Callable:
    """The function with its own name and docstring, called according to the forms."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return makes(*texts, method=method)(function)


def family(name: str, value: Any, what: str) -> tuple[Callable, Callable]:
    """`zeros` and `zeros_like`, as well as `Tensor.new_zeros`. A value of None becomes an argument, `fill_value`."""
    argument = ", Number fill_value" if value is None else ""
    options = f"{OUT}, {OPTIONS}, {FORMAT}" if name == "empty" else f"{OUT}, {OPTIONS}"

    put = (lambda array, _: array) if value == 0 else filled  # new memory holds zeros

    def sized(size: tuple[int, ...], fill_value: Any = value, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
        if name == "zeros" and any(each < 0 for each in size):
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        usual = dtypes.of_number(fill_value) if value is None else dtypes.default()
        return put(allocated(size, dtype or usual), fill_value)

    def like(input: Tensor, fill_value: Any = value, *, dtype: Any = None, memory_format: Any = None) -> np.ndarray:
        return filled(allocated_like(input, dtype, memory_format), fill_value)

    def new(self: Tensor, size: tuple[int, ...], fill_value: Any = value, *, dtype: Any = None) -> np.ndarray:
        return put(allocated(size, dtype or self.dtype), fill_value)

    sizes, likes = f"tuple of ints size{argument}", f"Tensor input{argument}, *, {FORMAT}, {OPTIONS}"
    doc = f"{what} of the given sizes, in the dtype of this tensor."
    METHODS[f"new_{name}"] = making(f"new_{name}", doc, new, f"{sizes}, *, {OPTIONS}", method=True)
    return (
        making(name, f"{what} of the given sizes.", sized, f"{sizes}, *, {options}"),
        making(f"{name}_like", f"{what}, in the shape and dtype of `input`.", like, likes),
    )


METHODS = {"new_tensor": new_tensor}
zeros, zeros_like = family("zeros", 0, "Zeros")
ones, ones_like = family("ones", 1, "Ones")
empty, empty_like = family("empty", 0, "Unspecified entries (here: zeros)")
full, full_like = family("full", None, "`fill_value` everywhere; RuntimeError if it does not fit the dtype")
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
