"""Tensors made from data, from one value everywhere, or by a rule, as `tensor`, `zeros`, `full`, `arange`.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.arithmetic.numerics import F32, F64, fused, fused32
from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.compat.typenames import name_of_type
from minigrad.compat.versions import changed
from minigrad.ops.argument_parser import accepts
from minigrad.ops.creation.reading import array_of, shared
from minigrad.random import along_memory
from minigrad.tensor import Tensor

__all__ = ["as_tensor", "empty", "empty_like", "from_numpy", "full", "full_like", "ones", "ones_like", "tensor"]
__all__ += ["arange", "eye", "linspace", "logspace", "zeros", "zeros_like"]

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
def tensor(data: object, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A leaf with a copy of `data`: a number, nested sequences of numbers, a numpy array. The dtype is inferred: bool,
    int64 for ints, the default (float32) for floats, an array's own. ValueError for ragged sequences, TypeError or
    RuntimeError for what is not a number or does not fit the dtype.
    """
    if isinstance(data, Tensor):
        warn(COPY.format("torch.tensor"))
    return array_of(data, dtype, copy=True)


@makes(f"{DATA}, bool requires_grad = False", method=True)
def new_tensor(self: Tensor, data: object, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Like `tensor`, but in the dtype of this tensor."""
    if isinstance(data, Tensor):
        warn(COPY.format("tensor.new_tensor"))
    return array_of(data, dtype or self.dtype, copy=True)


@accepts(DATA)
def as_tensor(data: object, *, dtype: dtypes.dtype | None = None) -> Tensor:
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
    """Zeros. RuntimeError, in torch's words, for a negative size; MemoryError for too much memory."""
    if any(size < 0 for size in shape):
        wrong = next(size for size in shape if size < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {list(shape)}")
    return np.zeros(shape, dtype.numpy)


def allocated_like(input: Tensor, dtype: dtypes.dtype | None, memory_format: object) -> np.ndarray:
    """Memory for a tensor like `input`, its entries in the same order unless the format is contiguous."""
    array, kind = np.asarray(input._array), (dtype or input.dtype).numpy
    if str(memory_format) == "torch.contiguous_format" or array.flags.c_contiguous:
        return np.empty(array.shape, kind)
    return along_memory(np.empty(array.size, kind), array)


def filled(array: np.ndarray, value: Tensor | float | None) -> np.ndarray:
    """The array, filled with the value. RuntimeError if its dtype cannot hold the value."""
    array[...] = dtypes.number_in(value, dtypes.of_array(array))
    return array


def making(name: str, doc: str, function: Callable, *texts: str, method: bool = False) -> Callable:
    """The function with its own name and docstring, called according to the forms."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return makes(*texts, method=method)(function)


def family(name: str, value: float | None, what: str) -> tuple[Callable, Callable]:
    """`zeros` and `zeros_like`, as well as `Tensor.new_zeros`. A value of None becomes an argument, `fill_value`."""
    argument = ", Number fill_value" if value is None else ""
    options = f"{OUT}, {OPTIONS}, {FORMAT}" if name == "empty" else f"{OUT}, {OPTIONS}"

    put = (lambda array, _: array) if value == 0 else filled  # new memory holds zeros

    def sized(
        size: tuple[int, ...], fill_value: Tensor | float | None = value, *, dtype: dtypes.dtype | None = None
    ) -> np.ndarray:
        if name == "zeros" and any(item < 0 for item in size):
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        usual = dtypes.of_number(fill_value) if value is None else dtypes.default()
        return put(allocated(size, dtype or usual), fill_value)

    def like(
        input: Tensor,
        fill_value: Tensor | float | None = value,
        *,
        dtype: dtypes.dtype | None = None,
        memory_format: object = None,
    ) -> np.ndarray:
        return filled(allocated_like(input, dtype, memory_format), fill_value)

    def new(
        self: Tensor,
        size: tuple[int, ...],
        fill_value: Tensor | float | None = value,
        *,
        dtype: dtypes.dtype | None = None,
    ) -> np.ndarray:
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


@makes(f"int n, *, {OUT}, {OPTIONS}", f"int n, int m, *, {OUT}, {OPTIONS}")
def eye(n: int, m: int | None = None, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """A matrix with ones on the diagonal, n × n or n × m. RuntimeError for a negative size."""
    array = allocated((n, n if m is None else m), dtype or dtypes.default())
    np.fill_diagonal(array, 1)
    return array


MOST = 1 << 20  # a number up to which nothing can go wrong in a range of integers


@makes(
    f"Number end, *, {OUT}, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, {OUT}, {OPTIONS}",
)
def arange(end: float, start: float = 0, step: float = 1, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """start, start + step, … without `end`: int64 for three integers, else the default. RuntimeError for a bad step."""
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    plain = {type(start), type(end), type(step)} == {int} and dtype in (None, dtypes.int64)
    if plain and step and (end - start) * step >= 0 and max(abs(start), abs(end), abs(step)) < MOST:
        return np.arange(start, end, step)
    low, high, pace = float(start), float(end), float(step)
    if changed("arange_step_finite") and not math.isfinite(pace):
        raise RuntimeError(f"step must be finite but got {pace}")
    if not (pace > 0 or pace < 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"unsupported range: {low:g} -> {high:g}")
    if high < low if pace > 0 else high > low:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        dtype = dtypes.default() if float in map(type, (start, end, step)) else dtypes.int64
    whole = dtype is dtypes.int64
    if whole and changed("arange_counts_floats"):
        whole = float not in map(type, (start, end, step))
    if not dtype.is_floating_point:
        start, end, step = (int(dtypes.number_in(item, dtypes.int64)) for item in (start, end, step))
        if whole and not step:
            raise ValueError("step must be nonzero")
    count = -int((start - end) // step) if whole else math.ceil((high - low) / pace)
    array = allocated((count,), dtype)
    with np.errstate(all="ignore"):
        if dtype.is_floating_point:
            array[:] = steps_from(low, pace, count, dtype.numpy)
        else:
            array[:] = np.arange(count) * np.int64(step) + np.int64(start)
    return array


def steps_from(start: float, step: float, count: int, dtype: np.dtype) -> np.ndarray:
    """start + step · i, rounded once; for half precision in float32."""
    real, multiply_add = (F32, fused32) if dtype == np.float16 else (F64, fused)
    return multiply_add(np.arange(count).astype(real), real(step), real(start)).astype(dtype)


@makes(f"Number start, Number end, int steps, *, {OUT}, {OPTIONS}")
def linspace(start: float, end: float, steps: int, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`steps` equally spaced numbers from `start` to `end`: half counted from the start, half from the end."""
    dtype = dtype or dtypes.default()
    array = allocated((steps,), dtype)
    if steps == 1:
        return filled(array, start)
    if steps and dtype.kind == dtypes.BOOL:
        raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
    if steps:
        first, last = (dtypes.number_in(item, dtype) for item in (start, end))
        with np.errstate(all="ignore"):
            array[:] = between(first, last, steps, dtype.numpy)
    return array


@makes(f"Number start, Number end, int steps, float base = 10.0, *, {OUT}, {OPTIONS}")
def logspace(start: float, end: float, steps: int, base: float, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """`steps` powers of `base`, whose exponents are equally spaced from `start` to `end`."""
    dtype = dtype or dtypes.default()
    array = allocated((steps,), dtype)
    array[:] = float(base) ** np.linspace(float(start), float(end), steps)
    return array


def between(start: Any, end: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """`count` numbers from start to end, in torch's arithmetic: fused for float32 and float64s as float64."""
    from_start, from_end = np.arange(count // 2), np.arange(count - 1 - count // 2, -1, -1)
    if dtype == np.float16:
        half = F32 if changed("linspace_of_float16") else dtype.type
        start, end = half(start), half(end)
        step = (end - start) / half(count - 1)
        halves = [start + step * from_start.astype(half), end - step * from_end.astype(half)]
        return np.concatenate(halves).astype(dtype)
    real, multiply_add = (F32, fused32) if dtype == F32 else (F64, fused)
    first, last = real(start), real(end)
    step = real(real(last - first) / real(count - 1))
    halves = [multiply_add(from_start.astype(real), step, first), multiply_add(from_end.astype(real), -step, last)]
    return np.concatenate(halves).astype(np.int64 if dtype.kind in "iu" else dtype)
