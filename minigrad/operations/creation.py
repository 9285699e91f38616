"""Tensors from nothing, from Python data, and from the random generator.

Shared by all: `dtype` is a torch dtype or `int`, `float`, `bool`; `device` is None or "cpu"; `requires_grad` makes a
leaf that asks for a gradient. RuntimeError for a negative size, and for integers or bools that require grad;
TypeError, in torch's words, for arguments of the wrong type.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops and
https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.random import (
    F32,
    F64,
    Generator,
    Refill,
    accepts,
    along_memory,
    demand_uniform_bounds,
    fused,
    fused32,
    integer,
    integer_bounds,
    integers,
    normal_like,
    number,
    permutation,
    type_name,
    uniform,
)
from minigrad.tensor import Tensor

__all__ = [
    "arange",
    "as_tensor",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "normal",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "tensor",
    "zeros",
    "zeros_like",
]

OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)
OUT = "Tensor out = None"
FORMAT = "torch.memory_format memory_format = None"
DRAWN = "torch.Generator? generator"

# --- from data -----------------------------------------------------------------------------------

COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


@accepts(
    "object data, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, "
    "bool requires_grad = False"
)
def tensor(data: Any, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A leaf with a copy of `data`: a number, nested sequences of numbers, a numpy array.

    The dtype is inferred: bool, int64 for ints, the default (float32) for floats, an array's own. ValueError for
    ragged sequences, TypeError or RuntimeError for what is not a number or does not fit the dtype.

    >>> tensor([[1., 2., 3.], [4., 5., 6.]])
    tensor([[1., 2., 3.],
            [4., 5., 6.]])
    """
    if isinstance(data, Tensor):
        warnings.warn(COPY.format("torch.tensor"), UserWarning, stacklevel=3)
    return leaf_of(array_of(data, dtype, copy=True), requires_grad)


@accepts(
    "object data, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad = False", method=True
)
def new_tensor(self: Tensor, data: Any, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Like `tensor`, but in the dtype of this tensor.

    >>> new_tensor(tensor([1.]), [2, 3])
    tensor([2., 3.])
    """
    if isinstance(data, Tensor):
        warnings.warn(COPY.format("tensor.new_tensor"), UserWarning, stacklevel=3)
    return leaf_of(array_of(data, dtype or self.dtype, copy=True), requires_grad)


@accepts("object data, *, torch.dtype dtype = None, torch.device device = None")
def as_tensor(data: Any, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """`data` as a tensor: the tensor itself, a numpy array's own memory, a copy only where the dtype asks for one.

    >>> x = tensor([1., 2.])
    >>> as_tensor(x) is x
    True
    """
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    return Tensor._of(array_of(data, dtype, copy=False))


def from_numpy(array: np.ndarray, /) -> Tensor:
    """A tensor on the memory of a numpy array. TypeError for a dtype that torch does not have.

    >>> from_numpy(np.array([1., 2.]))
    tensor([1., 2.], dtype=torch.float64)
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(array)})")
    return Tensor._of(shared(array, stacklevel=3))


def array_of(data: Any, dtype: dtypes.dtype | None, copy: bool) -> np.ndarray:
    """An array with the data in the dtype, or in the one torch would infer; a copy, or the data's own memory."""
    if isinstance(data, Tensor):
        array = np.asarray(data._array)
    elif isinstance(data, np.ndarray):
        array = known(data) if copy else shared(data, stacklevel=5)
    else:
        return from_python(data, dtype)
    if dtype is not None and array.dtype != dtype.numpy:
        return cast(array, dtype.numpy)
    return np.array(array) if copy else array


def known(array: np.ndarray) -> np.ndarray:
    """The array. TypeError or ValueError, in torch's words, if no tensor can lie on its memory."""
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    demand_known(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    return array


def demand_known(dtype: np.dtype) -> None:
    """TypeError for a dtype that torch does not have, NotImplementedError for one that only torch has."""
    if dtype in dtypes.OF_NUMPY:
        return
    if dtype.name in ("complex64", "complex128", "uint16", "uint32", "uint64"):
        raise NotImplementedError(f"minigrad has no dtype {dtype.name}")
    raise TypeError(
        f"can't convert np.ndarray of type numpy.{dtype.type.__name__}. The only supported types are: float64, "
        "float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
    )


_said: set[str] = set()  # what torch says once per process


def warn_once(text: str, stacklevel: int) -> None:
    if text not in _said:
        _said.add(text)
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def shared(array: np.ndarray, stacklevel: int) -> np.ndarray:
    """The array, for a tensor on its memory; a UserWarning, once, where that cannot be written."""
    if not array.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program.",
            stacklevel,
        )
    return known(array)


def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy in another dtype. float64 becomes float16 by way of float32, as in torch."""
    with np.errstate(all="ignore"):
        if array.dtype == F64 and dtype == np.float16:
            array = array.astype(F32)
        return array.astype(dtype)


def from_python(data: Any, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """An array from a number or nested sequences of numbers, in the dtype or the one torch would infer."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    shape = shape_of(data)
    dtype = dtype or inferred(data)
    entries: list = []
    if 0 not in shape and gather(data, shape, 0, entries):
        warn_once(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
            "to a single numpy.ndarray with numpy.array() before converting to a tensor.",
            stacklevel=5,
        )
    return converted(entries, dtype).reshape(shape)


def is_sequence(value: Any) -> bool:
    """True for what has a length and entries by number; a tensor counts as one number."""
    if isinstance(value, (str, bytes)):  # texts of numpy too
        return True
    return hasattr(type(value), "__getitem__") and not isinstance(value, (Tensor, dict, np.generic))


def shape_of(data: Any) -> list[int]:
    """The lengths of nested sequences, as the first of each level has them."""
    shape: list[int] = []
    while is_sequence(data):
        shape.append(len(data))
        if len(shape) > 128:  # the entries of a text are texts
            raise ValueError(f"too many dimensions '{type_name(data)}'")
        if not shape[-1]:
            break
        data = data[0]
    return shape


def inferred(data: Any) -> dtypes.dtype:
    """The smallest dtype for everything in nested sequences. TypeError or RuntimeError for what is not a number."""
    if isinstance(data, (np.ndarray, np.generic)) and not isinstance(data, (str, bytes)):
        demand_known(data.dtype)
        return dtypes.OF_NUMPY[data.dtype]
    if isinstance(data, (bool, int, float)):
        return dtypes.of_number(data)
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type_name(data)}")
    if not len(data):
        return dtypes.default()
    kinds = set(map(type, data))
    if kinds <= dtypes.PYTHON:  # the ordinary case, at the speed of C
        return dtypes.default() if float in kinds else dtypes.int64 if int in kinds else dtypes.bool_
    first, *others = data
    if first is data:
        raise TypeError("new(): self-referential lists are incompatible")
    result = inferred(first)
    for each in others:
        result = dtypes.joined(result, inferred(each))
    return result


def gather(data: Any, shape: list[int], axis: int, entries: list) -> bool:
    """Append the numbers of nested sequences, row by row. True if there were arrays inside.

    TypeError or ValueError where something is no sequence, or has another length than the first of its level.
    """
    if not shape:
        entries.append(data)
        return False
    try:
        row = list(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    if len(row) != shape[axis]:
        raise ValueError(f"expected sequence of length {shape[axis]} at dim {axis} (got {len(row)})")
    if axis == len(shape) - 1:
        entries.extend(row)
        return False
    arrays = False
    for each in row:
        arrays = gather(each, shape, axis + 1, entries) or arrays or isinstance(each, np.ndarray)
    return arrays


def converted(entries: list, dtype: dtypes.dtype) -> np.ndarray:
    """The entries in one dtype. TypeError, ValueError or RuntimeError for one that does not fit."""
    ordinary = set(map(type, entries)) <= dtypes.PYTHON
    if dtype.is_floating_point:
        return cast(np.array(entries if ordinary else [real(each) for each in entries], F64), dtype.numpy)
    if dtype.kind == dtypes.BOOL:
        return np.array([truth(each) for each in entries], bool)
    whole = [whole_number(each, dtype) for each in entries]
    return np.array(whole, np.uint64).astype(dtype.numpy)


def real(value: Any) -> float:
    """A float. TypeError for what is no real number; float() alone would read texts."""
    if isinstance(value, (str, bytes, complex)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"must be real number, not {type_name(value)}")
    return float(value)


def truth(value: Any) -> bool:
    """Whether a number is not zero. TypeError for other things."""
    return bool(value if isinstance(value, (float, np.bool_)) else operator.index(value))


def whole_number(value: Any, dtype: dtypes.dtype) -> int:
    """The integer part of a number, modulo 2⁶⁴. TypeError, ValueError or RuntimeError where the dtype has no room."""
    if not isinstance(value, float):
        value = operator.index(value)
        if not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
    demand_room_for(value, dtype, dtype.name)
    return int(value) % 2**64


def demand_room_for(value: float | int, dtype: dtypes.dtype, name: str) -> None:
    """RuntimeError, in torch's words, for a number outside an integer dtype. Negative ones wrap around in uint8."""
    limits = np.iinfo(dtype.numpy)
    least = -limits.max if limits.min == 0 and isinstance(value, int) else limits.min
    if not (float(least) <= value <= float(limits.max) if isinstance(value, float) else least <= value <= limits.max):
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def leaf_of(array: np.ndarray, requires_grad: bool) -> Tensor:
    """A leaf around `array`. RuntimeError for integers or bools that require grad."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return Tensor._of(array, bool(requires_grad))


# --- one value everywhere ------------------------------------------------------------------------


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
    array[...] = fitting(value, dtypes.of_array(array), array.size)
    return array


C_NAMES = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}


def fitting(value: Any, dtype: dtypes.dtype, count: int = 2) -> Any:
    """The number as one of the dtype. RuntimeError, OverflowError in torch's words, if it does not fit."""
    if isinstance(value, int) and value >= 2**64:
        raise OverflowError("int too big to convert")
    if isinstance(value, int) and value < -(2**63):
        raise OverflowError("can't convert negative int to unsigned")
    name = C_NAMES.get(dtype.name, f"{dtype.name}_t")
    if dtype.is_floating_point:
        largest = float(np.finfo(dtype.numpy).max)
        alone = dtype is dtypes.float16 and count == 1  # one half-precision number is not checked
        if math.isfinite(value) and abs(value) > largest and not alone:
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
        return cast(np.array(float(value)), dtype.numpy)
    if dtype.kind == dtypes.BOOL:
        return bool(value)
    demand_room_for(value, dtype, name)
    return np.array(int(value) % 2**64, np.uint64).astype(dtype.numpy)


@accepts(f"tuple of ints size, *, {OUT}, {OPTIONS}")
def zeros(size: tuple[int, ...], *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the given sizes: `zeros(2, 3)` or `zeros((2, 3))`.

    >>> zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    if any(each < 0 for each in size):
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return leaf_of(allocated(size, dtype or dtypes.default()), requires_grad)


@accepts(f"tuple of ints size, *, {OUT}, {OPTIONS}")
def ones(size: tuple[int, ...], *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Ones of the given sizes.

    >>> ones(2, dtype=dtypes.int64)
    tensor([1, 1])
    """
    return leaf_of(filled(allocated(size, dtype or dtypes.default()), 1), requires_grad)


@accepts(f"tuple of ints size, *, {OUT}, {OPTIONS}, {FORMAT}")
def empty(size: tuple[int, ...], *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given sizes; what it holds is not promised (here: zeros).

    >>> empty(2, 3).shape
    torch.Size([2, 3])
    """
    return leaf_of(allocated(size, dtype or dtypes.default()), requires_grad)


@accepts(f"tuple of ints size, Number fill_value, *, {OUT}, {OPTIONS}")
def full(
    size: tuple[int, ...], fill_value: Any, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """`fill_value` everywhere; its own kind of number unless `dtype` says otherwise.

    RuntimeError where the dtype has no room for the value.

    >>> full((2,), 3)
    tensor([3, 3])
    """
    value = number(fill_value)
    return leaf_of(filled(allocated(size, dtype or dtypes.of_number(value)), value), requires_grad)


@accepts(f"int n, *, {OUT}, {OPTIONS}", f"int n, int m, *, {OUT}, {OPTIONS}")
def eye(n: int, m: int | None = None, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A matrix with ones on the diagonal, n × n or n × m. RuntimeError for a negative size.

    >>> eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    rows = integer(n)
    columns = rows if m is None else integer(m)
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    array = allocated((rows, columns), dtype or dtypes.default())
    diagonal = np.arange(min(array.shape))
    array[diagonal, diagonal] = 1
    return leaf_of(array, requires_grad)


@accepts(f"Tensor input, *, {FORMAT}, {OPTIONS}")
def zeros_like(
    input: Tensor, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros of the shape and dtype of `input`.

    >>> zeros_like(tensor([1, 2]))
    tensor([0, 0])
    """
    return leaf_of(filled(allocated_like(input, dtype, memory_format), 0), requires_grad)


@accepts(f"Tensor input, *, {FORMAT}, {OPTIONS}")
def ones_like(
    input: Tensor, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Ones of the shape and dtype of `input`.

    >>> ones_like(tensor([1., 2.]))
    tensor([1., 1.])
    """
    return leaf_of(filled(allocated_like(input, dtype, memory_format), 1), requires_grad)


@accepts(f"Tensor input, *, {FORMAT}, {OPTIONS}")
def empty_like(
    input: Tensor, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """A tensor of the shape and dtype of `input`; what it holds is not promised (here: zeros).

    >>> empty_like(tensor([1., 2.])).shape
    torch.Size([2])
    """
    return leaf_of(filled(allocated_like(input, dtype, memory_format), 0), requires_grad)


@accepts(f"Tensor input, Number fill_value, *, {FORMAT}, {OPTIONS}")
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """`fill_value` everywhere, in the shape and dtype of `input`. RuntimeError where it does not fit the dtype.

    >>> full_like(tensor([1., 2.]), 3)
    tensor([3., 3.])
    """
    return leaf_of(filled(allocated_like(input, dtype, memory_format), number(fill_value)), requires_grad)


@accepts(f"tuple of ints size, *, {OPTIONS}", method=True)
def new_zeros(
    self: Tensor, size: tuple[int, ...], *, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Zeros of the given sizes, in the dtype of this tensor.

    >>> new_zeros(tensor([1, 2]), 3)
    tensor([0, 0, 0])
    """
    return leaf_of(allocated(size, dtype or self.dtype), requires_grad)


@accepts(f"tuple of ints size, *, {OPTIONS}", method=True)
def new_ones(
    self: Tensor, size: tuple[int, ...], *, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Ones of the given sizes, in the dtype of this tensor.

    >>> new_ones(tensor([1, 2]), 3)
    tensor([1, 1, 1])
    """
    return leaf_of(filled(allocated(size, dtype or self.dtype), 1), requires_grad)


@accepts(f"tuple of ints size, *, {OPTIONS}", method=True)
def new_empty(
    self: Tensor, size: tuple[int, ...], *, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of the given sizes and the dtype of this one; what it holds is not promised (here: zeros).

    >>> new_empty(tensor([1, 2]), 3).dtype
    torch.int64
    """
    return leaf_of(allocated(size, dtype or self.dtype), requires_grad)


@accepts(f"tuple of ints size, Number fill_value, *, {OPTIONS}", method=True)
def new_full(
    self: Tensor,
    size: tuple[int, ...],
    fill_value: Any,
    *,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """`fill_value` everywhere, in the dtype of this tensor.

    >>> new_full(tensor([1., 2.]), (3,), 7)
    tensor([7., 7., 7.])
    """
    return leaf_of(filled(allocated(size, dtype or self.dtype), number(fill_value)), requires_grad)


METHODS = {
    "new_empty": new_empty,
    "new_full": new_full,
    "new_ones": new_ones,
    "new_tensor": new_tensor,
    "new_zeros": new_zeros,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)

# --- ranges --------------------------------------------------------------------------------------


@accepts(
    f"Number end, *, {OUT}, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, {OUT}, {OPTIONS}",
)
def arange(
    end: Any, start: Any = 0, step: Any = 1, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """start, start + step, … up to but without `end`: ⌈(end − start) / step⌉ numbers.

    int64 if all three are integers, else the default dtype. RuntimeError for a step of 0, or of the wrong sign.

    >>> arange(1, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
    start, end, step = number(start), number(end), number(step)
    low, high, pace = float(start), float(end), float(step)
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if not (pace > 0 or pace < 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"unsupported range: {low:g} -> {high:g}")
    if high < low if pace > 0 else high > low:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        dtype = dtypes.default() if float in map(type, (start, end, step)) else dtypes.int64
    if not dtype.is_floating_point:
        start, end, step = (int(fitting(each, dtypes.int64)) for each in (start, end, step))
    if dtype is not dtypes.int64:
        count = math.ceil((high - low) / pace)
    elif step:
        count = -((start - end) // step)
    else:
        raise ValueError("step must be nonzero")
    if not 0 <= count < 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    array = allocated((count,), dtype)
    with np.errstate(all="ignore"):
        if dtype.is_floating_point:
            array[:] = steps_from(low, pace, count, dtype.numpy)
        else:
            array[:] = np.arange(count) * np.int64(step) + np.int64(start)
    return leaf_of(array, requires_grad)


def steps_from(start: float, step: float, count: int, dtype: np.dtype) -> np.ndarray:
    """start + step · i, rounded as torch's loop over vectors of 32 bytes does it.

    A vector's first number is computed and rounded, and the others from it; what is left after the last pair of
    vectors is computed number by number.
    """
    real, multiply_add = (F32, fused32) if dtype == np.float16 else (F64, fused)
    first, pace = real(start), real(step)
    size = 32 // dtype.itemsize
    whole = count // (2 * size) * (2 * size)
    firsts = multiply_add(np.arange(0, whole, size).astype(real), pace, first).astype(dtype).astype(real)
    vectors = multiply_add(np.tile(np.arange(size).astype(real), len(firsts)), pace, np.repeat(firsts, size))
    vectors[::size] = firsts  # -0 stays what it is
    rest = multiply_add(np.arange(whole, count).astype(real), pace, first)
    return np.concatenate([vectors, rest]).astype(dtype)


@accepts(
    *(
        f"{start} start, {end} end, int steps, *, {OUT}, {OPTIONS}"
        for start, end in (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"), ("Number", "Number"))
    )
)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers at equal distances, from `start` to `end`, both included.

    The first half is counted from the start, the second from the end. RuntimeError for a negative number of steps.

    >>> linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    for name, bound in (("start", start), ("end", end)):
        if isinstance(bound, Tensor) and bound.ndim:
            raise RuntimeError(
                f"linspace only supports 0-dimensional start and end tensors, but got {name} with {bound.ndim} "
                "dimension(s)."
            )
    dtype, count = dtype or dtypes.default(), integer(steps)
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    array = allocated((count,), dtype)
    if count == 1:
        filled(array, number(start))
    elif count:
        if dtype.kind == dtypes.BOOL:
            raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
        with np.errstate(all="ignore"):
            array[:] = between(fitting(number(start), dtype), fitting(number(end), dtype), count, dtype.numpy)
    return leaf_of(array, requires_grad)


def between(start: Any, end: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """`count` numbers from start to end, in torch's arithmetic: fused for float32 and float64, integers as float64."""
    from_start, from_end = np.arange(count // 2), np.arange(count - 1 - count // 2, -1, -1)
    if dtype == np.float16:
        step = (end - start) / dtype.type(count - 1)
        halves = [start + step * from_start.astype(dtype), end - step * from_end.astype(dtype)]
    elif dtype == F32:
        step = F32(F32(end - start) / F32(count - 1))
        halves = [fused32(step, from_start.astype(F32), start), fused32(-step, from_end.astype(F32), end)]
    else:
        step = (F64(end) - F64(start)) / (count - 1)
        halves = [fused(from_start.astype(F64), step, F64(start)), fused(from_end.astype(F64), -step, F64(end))]
    return np.concatenate(halves).astype(np.int64 if dtype.kind in "iu" else dtype)


# --- random numbers ------------------------------------------------------------------------------


def drawn(first: str, options: str) -> tuple[str, str]:
    """torch's two signatures of a call that draws: with a generator, and without."""
    return f"{first}, *, {DRAWN}, {options}", f"{first}, *, {options}"


@accepts(*drawn("tuple of ints size", f"{OUT}, {OPTIONS}"))
def rand(
    size: tuple[int, ...], *, generator: Generator, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Uniform numbers from [0, 1). NotImplementedError for integers.

    >>> rand(2, 3).shape
    torch.Size([2, 3])
    """
    return leaf_of(uniform_like(allocated(size, dtype or dtypes.default()), generator), requires_grad)


@accepts(*drawn("tuple of ints size", f"{OUT}, {OPTIONS}"))
def randn(
    size: tuple[int, ...], *, generator: Generator, dtype: dtypes.dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Normal numbers with mean 0 and standard deviation 1. NotImplementedError for integers.

    >>> randn(2, 3).shape
    torch.Size([2, 3])
    """
    return leaf_of(normal_like(allocated(size, dtype or dtypes.default()), 0, 1, generator), requires_grad)


@accepts(
    *drawn("int high, tuple of ints size", f"{OUT}, {OPTIONS}"),
    *drawn("int low, int high, tuple of ints size", f"{OUT}, {OPTIONS}"),
)
def randint(
    high: int,
    size: tuple[int, ...],
    low: int = 0,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers from `low` (0 if left out) to `high` − 1, int64: `randint(high, size)` or `randint(low, high, size)`.

    RuntimeError for an empty range, or one that the dtype cannot hold.

    >>> randint(3, 4, (2,))
    tensor([3, 3])
    """
    first, last = integer(low), integer(high)
    array = allocated(size, dtype or dtypes.int64)
    first, last = integer_bounds(dtypes.of_array(array), first, last)
    return leaf_of(integers_like(array, first, last, generator), requires_grad)


@accepts(*drawn("int n", f"{OUT}, {OPTIONS}"))
def randperm(n: int, *, generator: Generator, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """The integers 0 … n − 1 in random order, int64. RuntimeError where the dtype has no room for them.

    >>> randperm(1)
    tensor([0])
    """
    dtype, count = dtype or dtypes.int64, integer(n)
    if dtype.is_floating_point:
        digits = np.finfo(dtype.numpy).nmant + 1
        if count > 2**digits + 1:
            limit = 2049 if dtype is dtypes.float16 else f"2^{digits}+1"
            raise RuntimeError(f"n cannot be greater than {limit} for {dtype.scalar_type} type.")
    elif dtype.kind == dtypes.INTEGER and count > 0:
        fitting(count - 1, dtype)
    array = allocated((count,), dtype)
    if dtype.kind == dtypes.BOOL:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    array[:] = permutation(count, generator)
    return leaf_of(array, requires_grad)


@accepts(*drawn("Tensor input", f"{FORMAT}, {OPTIONS}"))
def rand_like(
    input: Tensor,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Uniform numbers from [0, 1), in the shape and dtype of `input`.

    >>> rand_like(zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return leaf_of(uniform_like(allocated_like(input, dtype, memory_format), generator), requires_grad)


@accepts(*drawn("Tensor input", f"{FORMAT}, {OPTIONS}"))
def randn_like(
    input: Tensor,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Normal numbers with mean 0 and standard deviation 1, in the shape and dtype of `input`.

    >>> randn_like(zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return leaf_of(normal_like(allocated_like(input, dtype, memory_format), 0, 1, generator), requires_grad)


@accepts(
    *drawn("Tensor input, int low, int high", f"{FORMAT}, {OPTIONS}"),
    *drawn("Tensor input, Tensor high", f"{FORMAT}, {OPTIONS}"),
    *drawn("Tensor input, int high", f"{FORMAT}, {OPTIONS}"),
)
def randint_like(
    input: Tensor,
    high: Any,
    low: int = 0,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Integers from `low` (0 if left out) to `high` − 1, in the shape and dtype of `input`.

    >>> randint_like(zeros(2), 3, 4)
    tensor([3., 3.])
    """
    array = allocated_like(input, dtype, memory_format)
    first, last = integer_bounds(dtypes.of_array(array), integer(low), integer(high))
    return leaf_of(integers_like(array, first, last, generator), requires_grad)


def uniform_like(memory: np.ndarray, generator: Generator) -> np.ndarray:
    """Uniform numbers from [0, 1) for an array of this shape, dtype and order in memory."""
    demand_uniform_bounds(dtypes.of_array(memory), 0, 1)
    return along_memory(uniform(memory.size, memory.dtype, 0, 1, generator), memory)


def integers_like(memory: np.ndarray, low: int, high: int, generator: Generator) -> np.ndarray:
    """Integers from low to high − 1 for an array of this shape, dtype and order in memory."""
    return along_memory(integers(memory.size, memory.dtype, low, high, generator), memory)


class NormalOfMean(Refill, name="NormalBackward1"):
    """mean + std · z for a tensor of means: no gradient flows through what is drawn."""

    __slots__ = ()


class NormalOfStd(Refill, name="NormalBackward2"):
    """The same for a tensor of standard deviations."""

    __slots__ = ()


class NormalOfBoth(Refill, name="NormalBackward3"):
    """The same for tensors of both."""

    __slots__ = ()


@accepts(
    f"Tensor mean, Tensor std, *, torch.Generator generator = None, {OUT}",
    f"Tensor mean, float std = 1, *, torch.Generator generator = None, {OUT}",
    f"float mean, Tensor std, *, torch.Generator generator = None, {OUT}",
    f"float mean, float std, tuple of ints size, *, torch.Generator generator = None, {OUT}, {OPTIONS}",
)
def normal(
    mean: Any,
    std: Any = 1,
    size: tuple[int, ...] | None = None,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers: of the given sizes for two numbers, else one for each entry of the tensors `mean` and `std`.

    RuntimeError for a negative standard deviation. The gradient with respect to `mean` and `std` is zero.

    >>> normal(tensor([1., 2.]), 0)
    tensor([1., 2.])
    """
    if size is not None:
        memory = allocated(size, dtype or dtypes.default())
        return leaf_of(normal_like(memory, float(mean), float(std), generator), requires_grad)
    if not isinstance(std, Tensor):
        memory, spread = np.empty(mean.shape, mean.dtype.numpy), float(std)
        return NormalOfMean.apply(
            mean, draw=lambda: in_place(np.add, normal_like(memory, 0, spread, generator), mean._array)
        )
    if not np.all(np.asarray(std._array) >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not isinstance(mean, Tensor):
        mean = Tensor._of(np.array(fitting(float(mean), std.dtype), std.dtype.numpy))
        node: type[Refill] = NormalOfStd
        inputs = [std]
    else:
        node, inputs = NormalOfBoth, [mean, std]

    def draw() -> np.ndarray:
        memory = np.empty(np.broadcast_shapes(mean.shape, std.shape), mean.dtype.numpy)
        values = in_place(np.multiply, normal_like(memory, 0, 1, generator), std._array)
        return in_place(np.add, values, mean._array)

    return node.apply(*inputs, draw=draw)


def in_place(operation: Callable, values: np.ndarray, other: Any) -> np.ndarray:
    """What `values.mul_(other)` or `add_` leaves: computed in the common dtype, kept in the dtype of `values`."""
    return operation(*dtypes.promoted([values, np.asarray(other)])).astype(values.dtype)
