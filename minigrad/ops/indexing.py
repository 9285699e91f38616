"""Indexing: x[i], x[1:], x[mask], x[[0, 2]], and the same on the left of an assignment. Integers, slices, None and
`...` select a part that shares memory, one step after another. The rest (masks, lists and tensors of integers)
is looked up all at once, and copied.
Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html and
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigrad import upstream
from minigrad.compat import checks, dtypes, messages
from minigrad.compat.typenames import bare_name
from minigrad.compat.versions import changed
from minigrad.graph import array_ops
from minigrad.ops import creation, shaping, slicing, where_clamp
from minigrad.ops.argument_parser import Tensors
from minigrad.ops.registry import register
from minigrad.ops.slicing import NOTHING
from minigrad.passing import inplace
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

NESTED = (type(...), Tensor, np.ndarray, slice, list, tuple, range, str)
VALID = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})"


def get(tensor: Tensor, index: object) -> Tensor:
    """tensor[index]. IndexError, TypeError or ValueError, in torch's words, for an index that does not fit."""
    if isinstance(index, slice):
        return slicing.sliced(tensor, 0, index, even_if_all=True)
    part, lookups = part_of(tensor, index)
    if lookups:
        return Index.apply(part, index=resolved(part, lookups))
    return slicing.Alias.apply(tensor) if part is tensor else part


def assign(tensor: Tensor, index: object, value: Any, add: bool = False) -> None:
    """tensor[index] = value, a number or a Tensor: a change in place. RuntimeError if the value does not fit. What
    masks, lists and tensors point to can also be added to.
    """
    if index is False:
        return
    part, lookups = (shaping.Unsqueeze.apply(tensor, axis=0), {}) if index is True else part_of(tensor, index)
    is_number = not isinstance(value, Tensor)
    if is_number:
        value = Tensor._of(np.asarray(dtypes.number_in(dtypes.plain(value), tensor.dtype)))
    shape = value._array.shape
    if is_number and not lookups and changed("fills_by_number"):
        inplace.change(part, inplace.Overlapping(Fill.apply), value=value._array)
        return
    if not lookups and not shape and part.ndim:
        inplace.change(part, inplace.ReadingFirst(FillTensor.apply), value)
        return
    bare = shape[next((axis for axis, size in enumerate(shape) if size != 1), len(shape)) :]  # no 1s in front
    if lookups:
        value = value if bare == shape else shaping.view(value, bare)
        if is_number and changed("fills_at_one_index"):  # then a mask is looked at first
            resolved(part, {axis: item for axis, item in lookups.items() if item.dtype is dtypes.bool_})
        inplace.demand_changeable(part, value, overlaps=True)
        results = resolved(part, lookups)
        if is_number and len(lookups) == 1 and changed("fills_at_one_index"):
            ((axis, only),) = lookups.items()
            if only.dtype is dtypes.bool_:
                mask = shaping.reshape(only, (*only.shape, *[1] * (part.ndim - axis - only.ndim)))
                inplace.change(part, inplace.Overlapping(where_clamp.MaskedFill.apply), mask=mask, value=value._array)
                return
            if only.dtype is dtypes.int64:
                fill = inplace.Overlapping(IndexFill.apply)
                inplace.change(part, fill, index=shaping.reshape(only, (-1,)), axis=axis, value=value._array)
                return
        if value._counter is part._counter is not None and np.shares_memory(value._memory(), part._memory()):
            raise RuntimeError(messages.SHARED_MEMORY.format(checks.OVERLAP))
        inplace.change(part, inplace.Overlapping(IndexPut.apply), value, index=results, add=add)
        return
    if shape != part._array.shape:
        value = shaping.view(value, bare)
        value = value if bare == part._array.shape else shaping.expand(value, part._array.shape)
    inplace.change(part, inplace.Copy.apply, value)


class Lookup(NamedTuple):
    """What is looked up at once: an array of integers or everything, per axis, and the tensors they came from."""

    arrays: tuple
    tensors: tuple[Tensor, ...]

    @property
    def is_one_mask(self) -> bool:
        """True if there is just a single mask."""
        return len(self.tensors) == 1 and self.tensors[0].dtype is dtypes.bool_


def part_of(tensor: Tensor, index: object) -> tuple[Tensor, dict[int, Tensor]]:
    """The part selected by integers, slices, None and `...`, sharing memory; and what remains to look up, by axis."""
    if index.__class__ is int or isinstance(index, np.integer):
        return slicing.selected(tensor, 0, int(index)), {}
    if isinstance(index, slice):
        return slicing.sliced(tensor, 0, index), {}
    if isinstance(index, list) and any(item is None or isinstance(item, NESTED) for item in index):
        raise NotImplementedError("minigrad takes no list of lists or slices as an index: write x[tuple(index)]")
    items = index if isinstance(index, tuple) else (index,)
    used = sum([axes_used(item) for item in items])
    if used > tensor.ndim:
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
        elif is_place(each):
            part = slicing.selected(part, axis, int(each), place)
        else:
            results = looked_up(each)
            if not results.ndim:  # a single bool
                part = shaping.Unsqueeze.apply(part, axis=axis)
                results = Tensor._of(np.flatnonzero(results._array))
            lookups[axis] = results
            axis += results.ndim if results.dtype is dtypes.bool_ else 1
    return part, lookups


def axes_used(item: object) -> int:
    """How many axes of the tensor one item of an index takes."""
    if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)):
        return 0
    if isinstance(item, Tensor) and item.dtype is dtypes.bool_:
        return item.ndim
    return 1


def is_place(item: object) -> bool:
    """True for an integer, and for a tensor or array without axes that holds one and is not a mask."""
    if isinstance(item, (Tensor, np.ndarray)):
        kind = array_ops.raw(item).dtype
        return not item.ndim and kind.kind in "iu" and kind != np.uint8
    return item.__class__ is int or isinstance(item, np.integer)


def looked_up(item: object) -> Tensor:
    """A mask, list or tensor of integers as a tensor of bool or integers. IndexError or TypeError for another item."""
    if isinstance(item, Tensor):
        if item.dtype is dtypes.uint8:
            raise NotImplementedError("minigrad takes no mask of uint8: write mask.bool()")
        if item.dtype not in (dtypes.bool_, dtypes.int32, dtypes.int64):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return item
    if isinstance(item, (bool, np.bool_, np.ndarray)):
        results = np.asarray(item)
    elif isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    elif isinstance(item, (list, tuple, range)):
        results = creation.tensor([*item])._array
    else:
        raise IndexError(VALID.format(bare_name(item)))
    return Tensor._of(results if results.dtype == bool else results.astype(np.int64))


def resolved(part: Tensor, lookups: dict[int, Tensor]) -> Lookup:
    """The lookups as arrays of integers, one per axis. IndexError, in torch's words, if they do not fit."""
    arrays: list = []
    for axis in sorted(lookups):
        arrays += [NOTHING] * (axis - len(arrays))
        results = lookups[axis]
        if results.dtype is not dtypes.bool_:
            arrays.append(results._array)
            continue
        for i, size in enumerate(results.shape):
            if part.shape[axis + i] != size:
                mask = f"The shape of the mask {list(results.shape)} at index {i}"
                whole = f"the shape of the indexed tensor {list(part.shape)} at index {axis + i}"
                raise IndexError(f"{mask} does not match {whole}")
        arrays += np.nonzero(results._array)
    shapes = [array.shape for array in arrays if array is not NOTHING]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        reason = "indexing tensors could not be broadcast together with shapes"
        raise IndexError(f"shape mismatch: {reason} {', '.join([str(list(shape)) for shape in shapes])}") from None
    return Lookup(tuple(arrays), tuple(lookups.values()))


def entries_at(a: Value, index: Lookup) -> Value:
    """a[index]. IndexError, in torch's words, for an integer outside."""
    try:
        return a[index.arrays]
    except IndexError:
        used = [(array, size) for array, size in zip(index.arrays, a.shape, strict=False) if array is not NOTHING]
    for place, (array, size) in enumerate(used):
        outside = array[(array < -size) | (array >= size)]
        if not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        if outside.size:
            raise IndexError(f"index {outside[0]} is out of bounds for dimension {place} with size {size}")
    raise AssertionError("unreachable: an index of numpy that is wrong in no axis")


class Index(Function):
    """a[masks and lists]: an entry taken several times gets the sum of its upstream gradients, others 0."""

    saves = ()

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, index: Lookup) -> np.ndarray:
        ctx.save_for_backward(*index.tensors)
        ctx.input_shape, ctx.index = a.shape, index
        return np.array(entries_at(a, index), order="C")

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        _ = ctx.saved_tensors  # an error if they were changed since
        return array_ops.call(AddAt, grad_output, shape=ctx.input_shape, index=ctx.index)


class AddAt(Function, name="IndexPutImplBackward0"):
    """Zeros of a shape, with a added where the index points: the backward of `Index`."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, shape: tuple[int, ...], index: Lookup) -> np.ndarray:
        ctx.index = index
        return upstream.put_back(a, shape, index.arrays)

    backward = staticmethod(lambda ctx, grad_output: array_ops.call(Index, grad_output, index=ctx.index))


class IndexPut(Function):
    """a with value where the index points: overwritten entries get no gradient, the value gets that of its places."""

    saves, promotes = (), False

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, value: np.ndarray, index: Lookup, add: bool = False) -> np.ndarray:
        ctx.save_for_backward(*index.tensors)
        ctx.index, ctx.add = index, add
        if index.is_one_mask and value.size == 1:
            value = value.astype(a.dtype)  # torch treats this as masked_fill, which casts
        result = np.array(a)
        shape = entries_at(a, index).shape
        try:
            written = np.broadcast_to(value, shape)
        except ValueError:
            shapes = f"{list(value.shape)} cannot be broadcast to indexing result of shape {list(shape)}"
            raise RuntimeError(f"shape mismatch: value tensor of shape {shapes}") from None
        if a.dtype != value.dtype:
            ours, theirs = (dtypes.of_array(item).scalar_type for item in (a, value))
            kinds = f"{ours} for the destination and {theirs} for the source."
            raise RuntimeError(f"Index put requires the source and destination dtypes match, got {kinds}")
        if add:
            np.add.at(result, index.arrays, written)
        else:
            result[index.arrays] = written
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        _ = ctx.saved_tensors  # an error if they were changed since
        needs_value = ctx.needs_input_grad[1]
        nothing = array_ops.zeros((), ctx.dtype, grad_output)
        return (
            grad_output if ctx.add else array_ops.call(IndexPut, grad_output, nothing, index=ctx.index),
            array_ops.call(Index, grad_output, index=ctx.index) if needs_value else None,
        )


class IndexFill(Function):
    """a with a number in the slices of an axis that the index (int64) names: they get no gradient. It is saved."""

    saves = ("index",)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, index: Tensor, axis: int, value: float) -> np.ndarray:
        ctx.save_for_backward(index)
        ctx.axis, result = axis, np.array(a)
        places = Lookup((NOTHING,) * axis + (index._array,), ())
        entries_at(result, places)  # an error for a place outside
        result[places.arrays] = value
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (index,) = ctx.saved_tensors
        filled = np.zeros(grad_output.shape[ctx.axis :][:1], bool)
        filled[array_ops.raw(index)] = True
        return array_ops.masked(grad_output, filled.reshape((-1,) + (1,) * (len(grad_output.shape) - ctx.axis - 1)))


class Fill(Function, name="FillBackward2"):
    """One number in place of a: a gets no gradient."""

    forward = staticmethod(lambda ctx, a, value: np.full(a.shape, value).astype(a.dtype))
    backward = staticmethod(lambda ctx, grad_output: array_ops.zeros(grad_output.shape, ctx.dtype, grad_output))


class FillTensor(Function, name="FillBackward3"):
    """a with one number everywhere: a gets no gradient, the number gets the sum of the upstream gradient."""

    promotes = False

    forward = staticmethod(lambda ctx, a, value: np.full(a.shape, value).astype(a.dtype))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        needs_a, needs_value = ctx.needs_input_grad
        return (
            array_ops.zeros(grad_output.shape, ctx.dtype, grad_output) if needs_a else None,
            grad_output.sum() if needs_value else None,
        )


@register("index_put_")
def index_put_(input: Tensor, indices: Tensors, values: Tensor, accumulate: bool = False) -> Tensor:
    """`input[indices] = values`, in place; with `accumulate` the values are added, and repeated indices add up."""
    assign(input, tuple(indices), values, accumulate)
    return input


@register("index_put")
def index_put(input: Tensor, indices: Tensors, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with the values where the indices, one tensor for each axis, point: see `index_put_`."""
    return index_put_(shaping.Clone.apply(input), indices, values, accumulate)


def refuse_deletion(tensor: Tensor, index: object) -> None:
    """`del x[0]`: always a TypeError, because tensors cannot shrink."""
    raise TypeError("Tensor does not support deleting items")


Tensor.__delitem__ = refuse_deletion
