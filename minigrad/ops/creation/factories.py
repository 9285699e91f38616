"""Tensors made of data, or of one value everywhere: `tensor`, `zeros`, `ones`, `full` and their like.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.compat.typenames import name_of_type
from minigrad.ops.argument_parser import accepts
from minigrad.ops.creation.data import array_of, shared
from minigrad.random import along_memory
from minigrad.tensor import Tensor

# torch's names for the options of what makes tensors
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
    # without axes a number will do, until its memory is shared: numpy computes with it five times faster
    return Tensor._of(array if array.ndim else array[()], bool(requires_grad))


makes = functools.partial(accepts, made=leaf_of)


@makes(
    "object data, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, "
    "bool requires_grad = False"
)
def tensor(data: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A leaf with a copy of `data`: a number, nested sequences of numbers, a numpy array. The dtype is inferred: bool,
    int64 for ints, the default (float32) for floats, an array's own. ValueError for ragged sequences, TypeError or
    RuntimeError for what is not a number or does not fit the dtype.
    """
    if isinstance(data, Tensor):
        warn(COPY.format("torch.tensor"))
    return array_of(data, dtype, copy=True)


@makes("object data, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad = False", method=True)
def new_tensor(self: Tensor, data: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Like `tensor`, but in the dtype of this tensor."""
    if isinstance(data, Tensor):
        warn(COPY.format("tensor.new_tensor"))
    return array_of(data, dtype or self.dtype, copy=True)


@accepts("object data, *, torch.dtype dtype = None, torch.device device = None")
def as_tensor(data: Any, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """`data` as a tensor: the tensor itself, a numpy array's own memory, a copy only where the dtype asks for one."""
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    return Tensor._of(array_of(data, dtype, copy=False))


def from_numpy(array: np.ndarray, /) -> Tensor:
    """A tensor on the memory of a numpy array. TypeError for a dtype that torch does not have."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {name_of_type(array)})")
    return Tensor._of(shared(array))


def allocated(shape: tuple[int, ...], dtype: dtypes.dtype) -> np.ndarray:
    """Zeros. RuntimeError, in torch's words, for a negative size or more memory than there is."""
    if any(size < 0 for size in shape):
        wrong = next(size for size in shape if size < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {list(shape)}")
    needed = math.prod(shape) * dtype.numpy.itemsize
    if needed >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    try:
        return np.zeros(shape, dtype.numpy)
    except MemoryError:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
            f"allocate {needed} bytes. Error code 12 (Cannot allocate memory)"
        ) from None


def allocated_like(input: Tensor, dtype: dtypes.dtype | None, memory_format: Any) -> np.ndarray:
    """Memory for a tensor like `input`, its entries in the same order unless the format is contiguous."""
    array, kind = np.asarray(input._array), (dtype or input.dtype).numpy
    if str(memory_format) == "torch.contiguous_format" or array.flags.c_contiguous:
        return np.empty(array.shape, kind)
    return along_memory(np.empty(array.size, kind), array)


def filled(array: np.ndarray, value: Any) -> np.ndarray:
    """The array, with the value everywhere. RuntimeError if its dtype has no room for the value."""
    array[...] = dtypes.number_in(value, dtypes.of_array(array), array.size)
    return array


@makes(f"tuple of ints size, *, {OUT}, {OPTIONS}")
def zeros(size: tuple[int, ...], *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Zeros of the given sizes: `zeros(2, 3)` or `zeros((2, 3))`."""
    if any(each < 0 for each in size):
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return allocated(size, dtype or dtypes.default())


@makes(f"tuple of ints size, *, {OUT}, {OPTIONS}")
def ones(size: tuple[int, ...], *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Ones of the given sizes."""
    return filled(allocated(size, dtype or dtypes.default()), 1)


@makes(f"tuple of ints size, *, {OUT}, {OPTIONS}, {FORMAT}")
def empty(size: tuple[int, ...], *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A tensor of the given sizes; what it holds is not promised (here: zeros)."""
    return allocated(size, dtype or dtypes.default())


@makes(f"tuple of ints size, Number fill_value, *, {OUT}, {OPTIONS}")
def full(size: tuple[int, ...], fill_value: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`fill_value` everywhere; its own kind of number unless `dtype` says otherwise. RuntimeError where the dtype has
    no room for the value.
    """
    value = fill_value
    return filled(allocated(size, dtype or dtypes.of_number(value)), value)


@makes(f"Tensor input, *, {FORMAT}, {OPTIONS}")
def zeros_like(input: Tensor, *, dtype: dtypes.dtype | None = None, memory_format: Any = None) -> np.ndarray:
    """Zeros of the shape and dtype of `input`."""
    return filled(allocated_like(input, dtype, memory_format), 0)


@makes(f"Tensor input, *, {FORMAT}, {OPTIONS}")
def ones_like(input: Tensor, *, dtype: dtypes.dtype | None = None, memory_format: Any = None) -> np.ndarray:
    """Ones of the shape and dtype of `input`."""
    return filled(allocated_like(input, dtype, memory_format), 1)


@makes(f"Tensor input, *, {FORMAT}, {OPTIONS}")
def empty_like(input: Tensor, *, dtype: dtypes.dtype | None = None, memory_format: Any = None) -> np.ndarray:
    """A tensor of the shape and dtype of `input`; what it holds is not promised (here: zeros)."""
    return filled(allocated_like(input, dtype, memory_format), 0)


@makes(f"Tensor input, Number fill_value, *, {FORMAT}, {OPTIONS}")
def full_like(
    input: Tensor, fill_value: Any, *, dtype: dtypes.dtype | None = None, memory_format: Any = None
) -> np.ndarray:
    """`fill_value` everywhere, in the shape and dtype of `input`. RuntimeError where it does not fit the dtype."""
    return filled(allocated_like(input, dtype, memory_format), fill_value)


@makes(f"tuple of ints size, *, {OPTIONS}", method=True)
def new_zeros(self: Tensor, size: tuple[int, ...], *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Zeros of the given sizes, in the dtype of this tensor."""
    return allocated(size, dtype or self.dtype)


@makes(f"tuple of ints size, *, {OPTIONS}", method=True)
def new_ones(self: Tensor, size: tuple[int, ...], *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Ones of the given sizes, in the dtype of this tensor."""
    return filled(allocated(size, dtype or self.dtype), 1)


@makes(f"tuple of ints size, *, {OPTIONS}", method=True)
def new_empty(self: Tensor, size: tuple[int, ...], *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A tensor of the given sizes and the dtype of this one; what it holds is not promised (here: zeros)."""
    return allocated(size, dtype or self.dtype)


@makes(f"tuple of ints size, Number fill_value, *, {OPTIONS}", method=True)
def new_full(self: Tensor, size: tuple[int, ...], fill_value: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`fill_value` everywhere, in the dtype of this tensor."""
    return filled(allocated(size, dtype or self.dtype), fill_value)


METHODS = (new_empty, new_full, new_ones, new_tensor, new_zeros)
for _method in METHODS:
    setattr(Tensor, _method.__name__, _method)
