"""How a tensor is stored: the layout of its entries, their dtype and what it can hold, the only device; operations that
overwrite all entries, and copies in another dtype. These have a node, and their gradient goes back in the dtype of the
original; a tensor that already has the dtype is not copied: the result is the tensor itself.
Mirrors https://docs.pytorch.org/docs/stable/tensor_attributes.html and
https://docs.pytorch.org/docs/stable/type_info.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, dtypes
from minigrad.compat.device import CONTIGUOUS, CPU, PRESERVED, STRIDED, demand_cpu, device, layout
from minigrad.compat.typenames import name_of_type
from minigrad.ops import argument_parser, functions, indexing, shaping
from minigrad.ops.argument_parser import Ints, Misfit, accepts
from minigrad.ops.operands import axis_and_size, variant
from minigrad.ops.registry import register, register_property
from minigrad.passing import inplace
from minigrad.scalar import Function
from minigrad.tensor import Size, Tensor


@register("is_contiguous", function=False)
def is_contiguous(input: Tensor, *, memory_format: object = None) -> bool:
    """True if the entries are stored row by row, without gaps."""
    return bool(input._array.flags.c_contiguous)


@register("stride", function=False)
def stride(input: Tensor, dim: int | None = None) -> int | tuple[int, ...]:
    """The distance in memory, in entries, to the next one along each axis, or along the axis `dim`."""
    array = input._memory()
    if array.flags.c_contiguous:  # numpy keeps any number for an axis of size 1
        sizes = [max(size, 1) for size in array.shape]
        steps = tuple([math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))])
    else:
        steps = tuple([step // array.itemsize for step in array.strides])
    return steps if dim is None else steps[axis_and_size(input, dim)[0]]


def _start(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@register("storage_offset", function=False)
def storage_offset(input: Tensor) -> int:
    """The position of the first entry in the memory, in entries."""
    array = owner = input._memory()
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return (_start(array) - _start(owner)) // array.itemsize


@register("data_ptr", function=False)
def data_ptr(input: Tensor) -> int:
    """The address of the first entry: equal for two tensors that start in the same place."""
    return _start(input._memory())


@register("size", function=False)
def size(input: Tensor, dim: int | None = None) -> Size | int:
    """The shape, or one size in it. IndexError if the axis is out of range."""
    return input.shape if dim is None else axis_and_size(input, dim)[1]


@register("numel", method=False)  # the method belongs to the Tensor itself
@register("nelement", function=False)
def numel(input: Tensor) -> int:
    """The number of entries."""
    return input._array.size


@register("element_size", function=False)
def element_size(input: Tensor) -> int:
    """The bytes of one entry."""
    return input._array.itemsize


Zero = variant("Zero", indexing.Fill)


@register("zero_", function=False)
def zero_(input: Tensor) -> Tensor:
    """Zeros everywhere, in place."""
    return inplace.change(input, inplace.Overlapping(Zero.apply), value=0)


@register("fill_", function=False)
def fill_(input: Tensor, value: object) -> Tensor:
    """One number everywhere, in place: a Python number, or a tensor without axes."""
    if isinstance(value, dtypes.NUMBERS):
        value = dtypes.number_in(dtypes.plain(value), input.dtype)
        return inplace.change(input, inplace.Overlapping(indexing.Fill.apply), value=value)
    if not isinstance(value, Tensor):
        raise Misfit(f"fill_() takes a number or a Tensor, not {name_of_type(value)}")
    inplace.demand_changeable(input, value, reads_first=True)
    if value.ndim:
        axes = f"tensor with {value.ndim} dimensions."
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got {axes}")
    return inplace.change(input, inplace.ReadingFirst(indexing.FillTensor.apply), value)


@register("resize_", function=False)
def resize_(input: Tensor, size: Ints, *, memory_format: object = None) -> Tensor:
    """Another size for the tensor itself, row by row on its memory, of which there is more if it takes more (torch
    leaves it as it is, here it is 0). RuntimeError for a tensor that requires grad.
    """
    if input.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if any(length < 0 for length in size):
        raise RuntimeError("numel: integer multiplication overflow")
    array, count = input._memory(), math.prod(size)
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    first = (array.ctypes.data - whole.ctypes.data) // array.itemsize
    if whole.dtype is not array.dtype or not whole.flags.c_contiguous or whole.size < first + count:
        old = np.ascontiguousarray(array).reshape(-1)[:count]
        whole, first = np.zeros(count, array.dtype), 0
        whole[: old.size] = old
    input._array = whole.reshape(-1)[first : first + count].reshape(tuple(size))
    leaf.count_change(input)
    return input


@register("resize_as_", function=False)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: object = None) -> Tensor:
    """`resize_` to the size of another tensor."""
    return resize_(input, tuple(the_template.shape))


@register("detach", method=False)
def detach(input: Tensor) -> Tensor:
    """The same memory, outside the graph."""
    return input.detach()


@register("copy_", function=False)
def copy_(input: Tensor, other: object, non_blocking: bool = False) -> Tensor:
    """The entries of `other`, expanded and cast, in place; they get the gradient. RuntimeError if they do not fit."""
    if isinstance(other, dtypes.NUMBERS):
        other = Tensor._of(np.asarray(dtypes.plain(other)))
    if not isinstance(other, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    inplace.demand_changeable(input, other)
    checks.demand_broadcast([input._array, other._array])
    have, meet = input._array.shape, np.broadcast_shapes(input._array.shape, other._array.shape)
    if meet != have:
        raise RuntimeError(f"output with shape {list(have)} doesn't match the broadcast shape {list(meet)}")
    return inplace.change(input, inplace.Copy.apply, other)


OPTIONS = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
FORMS = ("torch.device device = None, torch.dtype dtype = None", "torch.dtype dtype", "Tensor tensor")
OF_TO = [argument_parser.Form.read("to", f"{form}, {OPTIONS}") for form in FORMS]


class ToCopy(Function):
    """The entries in another dtype: the upstream gradient, cast back where it leaves the node."""

    forward = staticmethod(lambda ctx, a, dtype: a.astype(dtype, order=shaping.order_of(a)))
    backward = staticmethod(lambda ctx, grad_output: grad_output)


@register("clone")
def clone(input: Tensor, *, memory_format: object = None) -> Tensor:
    """A copy inside the graph, with the original's memory layout; with `torch.contiguous_format` row by row."""
    return shaping.Clone.apply(input, in_rows=getattr(memory_format, "in_rows", False))


@register("to", function=False, checked=False)  # it takes its arguments in three orders
def to(input: Tensor, *target: object, **settings: object) -> Tensor:
    """The tensor in another dtype, or that of another tensor; itself if nothing changes and `copy` is False."""
    if len(target) == 1 and not settings and isinstance(target[0], dtypes.dtype):
        dtype, copy = target[0], False
    else:
        _, asked = argument_parser.fitting(OF_TO, target, settings)
        dtype = asked["tensor"].dtype if "tensor" in asked else asked["dtype"]
        dtype, copy = dtype or input.dtype, asked["copy"]
        demand_cpu(asked.get("device"))
    return input if dtype is input.dtype and not copy else ToCopy.apply(input, dtype=dtype.numpy)


@register("type", function=False)
def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Tensor | str:
    """The name of the tensor's type; with a dtype, or the type or its name, the tensor in that dtype."""
    if dtype is None:
        return input.dtype.tensor_type
    name = dtype if isinstance(dtype, str) else f"torch.{dtype.__name__}" if hasattr(dtype, "__name__") else ""
    result = {item.tensor_type: item for item in dtypes.ALL}.get(name, dtypes.OF_PYTHON.get(dtype, dtype))
    if not isinstance(result, dtypes.dtype):
        raise (ValueError if isinstance(dtype, str) else TypeError)(f"invalid type: {dtype!r}")
    return to(input, result)


@register("type_as", function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another one."""
    return to(input, other.dtype)


def _caster(dtype: dtypes.dtype) -> Callable[..., Tensor]:
    def cast(input: Tensor, *, memory_format: object = None) -> Tensor:
        return to(input, dtype)

    cast.__doc__ = f"The tensor in {dtype}; itself if it has that dtype."
    return cast


@register("cpu", function=False)
def cpu(input: Tensor, *, memory_format: object = None) -> Tensor:
    """The tensor itself: it is already on the CPU."""
    return input


@register("cuda", function=False)
def cuda(input: Tensor, device: object = None, non_blocking: bool = False) -> Tensor:
    """Always the AssertionError of a torch without CUDA: minigrad has the CPU only."""
    raise AssertionError("Torch not compiled with CUDA enabled")


class _Info:
    """Shared by `finfo` and `iinfo`: a number of bits, a name, a smallest and a largest number."""

    __hash__ = None  # type: ignore[assignment]  # as in torch

    def __init__(self, of: dtypes.dtype, limits: np.finfo | np.iinfo):
        self.bits, self.dtype = limits.bits, of.name
        self.min, self.max = limits.dtype.type(limits.min).item(), limits.dtype.type(limits.max).item()

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and other.dtype == self.dtype


class finfo(_Info):
    """The limits of a floating dtype, the default one if none is given. TypeError for any other. `eps` is the step from
    1 to the next number, `tiny` (also `smallest_normal`) the smallest positive number of full precision, `resolution`
    one unit of the last decimal digit that is surely right.
    """

    __module__ = "torch"

    def __init__(self, type: dtypes.dtype | None = None):
        of = type or dtypes.default()
        if of.kind != dtypes.FLOATING:
            asked = "requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            raise TypeError(f"torch.finfo() {asked}")
        limits = np.finfo(of.numpy)
        super().__init__(of, limits)
        self.eps, self.tiny = limits.eps.item(), limits.tiny.item()
        self.smallest_normal = self.tiny
        self.resolution = 10.0**-limits.precision

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join([f'{name}={getattr(self, name):g}' for name in names])}, dtype={self.dtype})"


class iinfo(_Info):
    """The limits of an integer dtype. TypeError for any other."""

    __module__ = "torch"

    def __init__(self, type: dtypes.dtype):
        if type.kind != dtypes.INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        super().__init__(type, np.iinfo(type.numpy))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def result_type(tensor: object, other: object) -> dtypes.dtype:
    """The dtype in which an operation of two tensors, or of a tensor and a number, computes."""
    return dtypes.result_type(*[item._array if isinstance(item, Tensor) else item for item in (tensor, other)])


@accepts("torch.dtype type1, torch.dtype type2")
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest dtype of the higher kind that holds both."""
    return dtypes.joined(type1, type2)


register("ndimension", Tensor.dim, function=False)
register_property("itemsize", element_size)
register_property("nbytes", lambda input: input._array.nbytes)
OF_METHODS = {"double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16, "long": dtypes.int64}
OF_METHODS |= {"int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8}
for _name, _dtype in {**OF_METHODS, "bool": dtypes.bool_}.items():
    register(_name, _caster(_dtype), function=False)
register_property("device", lambda input: CPU)
register_property("layout", lambda input: STRIDED)
register_property("name", lambda input: None)  # in torch nobody can set one
register_property("is_cpu", lambda input: True)
register_property("is_cuda", lambda input: False)
functions["device"] = device
functions["layout"], functions["strided"] = layout, STRIDED
functions.update({item.name: item for item in (PRESERVED, CONTIGUOUS)})
