"""Indexing: x[i], x[1:], x[mask], x[[0, 2]], and the same on the left of an assignment.

Integers, slices, None and `...` cut out a part that shares memory, one step after the other. What is left (masks,
lists and tensors of integers) is looked up in one go, and copies.

Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html and
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import upstream
from minigrad.compat import checks, dtypes, messages
from minigrad.compat.messages import warn
from minigrad.ops import creation, shaping, slicing
from minigrad.ops.argument_parser import Tensors
from minigrad.ops.registry import define
from minigrad.ops.slicing import NOTHING
from minigrad.runtime import array_ops, inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor

VALID = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})"


def get(tensor: Tensor, index: Any) -> Tensor:
    """tensor[index]. IndexError, TypeError or ValueError, in torch's words, for an index that does not fit."""
    if isinstance(index, slice):
        return slicing.sliced(tensor, 0, index, even_if_all=True)
    part, lookups = part_of(tensor, index)
    if lookups:
        return Index.apply(part, index=resolved(part, lookups))
    return slicing.Alias.apply(tensor) if part is tensor else part


def assign(tensor: Tensor, index: Any, value: Any) -> None:
    """tensor[index] = value, for a number or a Tensor: a change in place of the part that the index cuts out.
    RuntimeError if the value has no room there, or a leaf that requires grad would change.
    """
    if index is False:
        return
    part, lookups = (shaping.Unsqueeze.apply(tensor, axis=0), {}) if index is True else part_of(tensor, index)
    if not isinstance(value, Tensor):
        value = Tensor._of(np.asarray(dtypes.number_in(dtypes.plain(value), tensor.dtype, 1)))
    shape = value._array.shape
    bare = shape[next((axis for axis, size in enumerate(shape) if size != 1), len(shape)) :]  # no 1s in front
    if lookups:
        value = value if bare == shape else shaping.view(value, bare)
        inplace.demand_changeable(part, value, overlaps=True)
        index = resolved(part, lookups)
        checks.allow_expanded(part, "index_put_", "tensor[indices] = tensor")
        if index.is_one_mask and value._array.size == 1:
            checks.allow_expanded(part, "masked_fill_", "tensor[mask] = scalar")
        if value._counter is part._counter is not None and np.shares_memory(value._memory(), part._memory()):
            raise RuntimeError(messages.SHARED_MEMORY.format(checks.OVERLAP))
        inplace.change(part, inplace.Overlapping(IndexPut.apply), value, index=index)
    elif shape == part._array.shape:
        inplace.change(part, inplace.Copy.apply, value)
    elif not shape:
        inplace.change(part, inplace.ReadingFirst(FillTensor.apply), value)
    else:
        value = shaping.view(value, bare)
        value = value if bare == part._array.shape else shaping.expand(value, part._array.shape)
        inplace.change(part, inplace.Copy.apply, value)


class Lookup:
    """What is looked up in one go: per axis an array of integers or all of it, and the tensors they came from."""

    __slots__ = ("arrays", "tensors")

    def __init__(self, arrays: Sequence[Any], tensors: Sequence[Tensor]):
        self.arrays, self.tensors = tuple(arrays), tuple(tensors)

    @property
    def is_one_mask(self) -> bool:
        """True if a single mask says it all."""
        return len(self.tensors) == 1 and self.tensors[0].dtype is dtypes.bool_


def part_of(tensor: Tensor, index: Any) -> tuple[Tensor, dict[int, Tensor]]:
    """What the integers, slices, None and `...` in `index` cut out, sharing memory; and what remains to look up there:
    on which axis the entries of which tensor.
    """
    if index.__class__ is int:
        return slicing.selected(tensor, 0, index), {}
    if isinstance(index, slice):
        return slicing.sliced(tensor, 0, index), {}
    items = index if isinstance(index, tuple) else as_items(index)
    used = sum([axes_used(each) for each in items])
    if used > tensor.ndim and not (items is not index and _counts_as_int(index)):
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    part, axis = tensor, 0
    lookups: dict[int, Tensor] = {}
    for place, each in enumerate(items):
        if each is None:
            part = shaping.Unsqueeze.apply(part, axis=axis)
            axis += 1
        elif each is Ellipsis:
            axis += tensor.ndim - used
        elif isinstance(each, slice):
            part = slicing.sliced(part, axis, each)
            axis += 1
        elif _counts_as_int(each) or _holds_an_int(each):
            part = slicing.selected(part, axis, int(each), place)
        else:
            found = looked_up(each)
            if not found.ndim:  # a single bool
                part = shaping.Unsqueeze.apply(part, axis=axis)
                found = Tensor._of(np.flatnonzero(found._array))
            lookups[axis] = found
            axis += found.ndim if found.dtype is dtypes.bool_ else 1
    return part, lookups


def as_items(index: Any) -> tuple:
    """The items of an index that is no tuple. As in torch, a list with lists, slices or None in it counts as one."""
    nested = (Tensor, np.ndarray, slice, list, tuple, range, str)
    if not isinstance(index, (list, range, str)) or len(index) >= 32:
        return (index,)
    if not any(each is None or each is Ellipsis or isinstance(each, nested) for each in index):
        return (index,)
    warn(
        "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; "
        "use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
        "x[torch.tensor(seq)], which will result either in an error or a different result"
    )
    return tuple(index)


def axes_used(item: Any) -> int:
    """How many axes of the tensor one item of an index takes."""
    if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)):
        return 0
    if isinstance(item, Tensor) and item.dtype in (dtypes.bool_, dtypes.uint8):
        return item.ndim
    return 1


def _counts_as_int(item: Any) -> bool:
    return item.__class__ is int or isinstance(item, np.integer)


def _holds_an_int(item: Any) -> bool:
    """True for a tensor or array without axes that holds an integer, and is no mask."""
    return (
        isinstance(item, (Tensor, np.ndarray))
        and not item.ndim
        and array_ops.raw(item).dtype.kind in "iu"
        and array_ops.raw(item).dtype != np.uint8
    )


def looked_up(item: Any) -> Tensor:
    """A mask, list or tensor of integers as a tensor of bool or integers. IndexError or TypeError for another item."""
    if isinstance(item, Tensor):
        if item.dtype is dtypes.uint8 and item.ndim:
            warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
        if item.dtype is dtypes.uint8:
            return Tensor._of(np.asarray(item._array != 0))
        if item.dtype not in (dtypes.bool_, dtypes.int32, dtypes.int64):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return item
    if isinstance(item, (bool, np.bool_, np.ndarray)):
        found = np.asarray(item)
    elif isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    elif isinstance(item, (list, tuple, range)):
        found = creation.tensor([*item])._array
    else:
        raise IndexError(VALID.format(type(item).__name__))
    return Tensor._of(found if found.dtype == bool else found.astype(np.int64))


def resolved(part: Tensor, lookups: dict[int, Tensor]) -> Lookup:
    """The lookups as arrays of integers, one per axis. IndexError, in torch's words, where they do not fit."""
    arrays: list[Any] = []
    for axis in sorted(lookups):
        arrays += [NOTHING] * (axis - len(arrays))
        found = lookups[axis]
        if found.dtype is not dtypes.bool_:
            arrays.append(found._array)
            continue
        for i, size in enumerate(found.shape):
            if part.shape[axis + i] != size:
                raise IndexError(
                    f"The shape of the mask {list(found.shape)} at index {i} does not match the shape of the indexed "
                    f"tensor {list(part.shape)} at index {axis + i}"
                )
        arrays += np.nonzero(found._array)
    used = [array for array in arrays if array is not NOTHING]
    try:
        np.broadcast_shapes(*[array.shape for array in used])
    except ValueError:
        shapes = ", ".join([str(list(array.shape)) for array in used])
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    return Lookup(arrays, [*lookups.values()])


def entries(a: Any, index: Lookup) -> tuple[Any, str]:
    """a[index], and what to say where an integer lies outside; then the entries are others, in the same shape. torch
    says it only after it has looked at the shape, and not at all where that has no entries.
    """
    try:
        return a[index.arrays], ""
    except IndexError:
        used = [(array, size) for array, size in zip(index.arrays, a.shape, strict=False) if array is not NOTHING]
    together = np.broadcast_arrays(*[array for array, _ in used])
    text = ""
    for place, (array, (_, size)) in enumerate(zip(together, used, strict=True)):
        if not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        outside = array[(array < -size) | (array >= size)]
        if outside.size and not text:
            text = f"index {outside[0]} is out of bounds for dimension {place} with size {size}"
    return a[tuple([array if array is NOTHING else array * 0 for array in index.arrays])], text


class Index(Function):
    """a[masks and lists]: an entry taken several times gets the sum of its upstream gradients, others 0."""

    __slots__ = ("input_shape", "index")

    @staticmethod
    def forward(ctx: Any, a: Any, index: Lookup) -> Any:
        ctx.save_for_backward(*index.tensors)
        ctx.input_shape, ctx.index = a.shape, index
        found, outside = entries(a, index)
        if outside and found.size:
            raise IndexError(outside)
        return np.array(found, order="C")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _ = ctx.saved_tensors  # an error if they were changed since
        return array_ops.call(AddAt, grad_output, shape=ctx.input_shape, index=ctx.index)


class AddAt(Function, name="IndexPutImplBackward0"):
    """Zeros of a shape, with a added where the index points: what `Index` does to a gradient."""

    __slots__ = ("index",)

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...], index: Lookup) -> Any:
        ctx.index = index
        if not a.size:
            return np.zeros(shape, a.dtype)
        return upstream.put_back(a, shape, index.arrays)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Index, grad_output, index=ctx.index)


class IndexPut(Function):
    """a with value where the index points: what was there gets no gradient, the value gets that of its places. With
    `accumulate` the value is added to what was there, which then keeps its gradient.
    """

    __slots__ = ("index", "accumulate")
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, value: Any, index: Lookup, accumulate: bool = False) -> Any:
        ctx.save_for_backward(*index.tensors)
        ctx.index, ctx.accumulate = index, accumulate
        if index.is_one_mask and value.size == 1 and not accumulate:
            value = value.astype(a.dtype)  # torch takes this for masked_fill, which casts
        result = np.array(a)
        found, outside = entries(a, index)
        try:
            written = np.broadcast_to(value, found.shape)
        except ValueError:
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
                f"shape {list(found.shape)}"
            ) from None
        if a.dtype != value.dtype:
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, got "
                f"{dtypes.of_array(a).scalar_type} for the destination and "
                f"{dtypes.of_array(value).scalar_type} for the source."
            )
        if outside and found.size:
            raise IndexError(outside)
        if not found.size:
            return result
        if accumulate:
            np.add.at(result, index.arrays, written)
        else:
            result[index.arrays] = written
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _ = ctx.saved_tensors  # an error if they were changed since
        needs_a, needs_value = ctx.needs_input_grad
        rest = grad_output
        if needs_a and not ctx.accumulate:
            nothing = array_ops.zeros((), ctx.dtype, grad_output)
            rest = array_ops.call(IndexPut, grad_output, nothing, index=ctx.index)
        return (
            rest if needs_a else None,
            array_ops.call(Index, grad_output, index=ctx.index) if needs_value else None,
        )


def index_put(input: Tensor, indices: Tensors, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with `values` where the tensors of integers (or the masks) point; added to what is there, if you wish."""
    if len(indices) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {len(indices)})")
    lookups: dict[int, Tensor] = {}
    axis = 0
    for each in indices:
        found = looked_up(each)
        if not axes_used(found):
            raise NotImplementedError("minigrad's index_put() takes no mask without axes")
        dtypes.axis_of(input.ndim, axis + axes_used(found) - 1)
        lookups[axis] = found
        axis += axes_used(found)
    return IndexPut.apply(input, values, index=resolved(input, lookups), accumulate=bool(accumulate))


class FillTensor(Function, name="FillBackward3"):
    """a with one number everywhere: nothing goes to a, the number gets the sum of the upstream gradient."""

    __slots__ = ()
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, value: Any) -> Any:
        return np.full(a.shape, value).astype(a.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        needs_a, needs_value = ctx.needs_input_grad
        return (
            array_ops.zeros(grad_output.shape, ctx.dtype, grad_output) if needs_a else None,
            grad_output.sum() if needs_value else None,
        )


def refuse_deletion(tensor: Tensor, index: Any) -> None:
    """`del x[0]`: a tensor has no room for that. Always TypeError."""
    raise TypeError("Tensor does not support deleting items")


Tensor.__delitem__ = refuse_deletion
define("index_put", index_put, in_place=True)
