"""What may be done to a tensor: assigning `.grad`, `.requires_grad`, `.data`, leaving the graph, changing in place.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import dtypes, messages, typenames
from minigrad.compat.messages import warn
from minigrad.compat.typenames import demand_bool
from minigrad.runtime import array_ops, multi_output, state
from minigrad.tensor import Tensor


def demand_gradient(tensor: Tensor, value: Any) -> None:
    """TypeError or RuntimeError for what cannot be the tensor's `.grad`: it is a tensor of its shape and dtype."""
    if not isinstance(value, Tensor):
        raise TypeError(messages.GRAD_TYPE.format(type(value).__name__))
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.dtype is not tensor.dtype:
        raise RuntimeError(messages.GRAD_DTYPE.format(value.dtype.cpp_name, tensor.dtype.scalar_type))
    if value.shape != tensor.shape:
        raise RuntimeError(messages.GRAD_SHAPE.format(list(value.shape), list(tensor.shape)))


def set_requires_grad(tensor: Tensor, flag: bool) -> None:
    """Set the flag of a leaf. RuntimeError on a non-leaf, or where the dtype has no gradients."""
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not tensor.is_leaf:
        raise RuntimeError(messages.FLAG if flag else messages.FLAG_HINT)
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    tensor._requires_grad = flag


def requires_grad_(tensor: Tensor, flag: bool = True) -> Tensor:
    """The method form, with torch's own texts: silent for True on a non-leaf."""
    demand_bool("requires_grad_(): argument 'requires_grad' (position 1)", flag)
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if not flag or tensor.is_leaf:
        set_requires_grad(tensor, flag)
    return tensor


def demand_flags(*flags: Any) -> None:
    """TypeError, in torch's words, for a flag of a pass that is neither None nor a number without fraction."""
    for flag in flags:
        if flag is not None and not hasattr(flag, "__index__"):
            raise TypeError(f"'{typenames.name_of_type(flag)}' object cannot be interpreted as an integer")


def demand_room(kept: Tensor, total: Any) -> None:
    """RuntimeError, in torch's words, for a gradient that cannot be added to what a leaf keeps: its shape changed."""
    shape = kept._array.shape
    if shape != total.shape:
        demand_broadcast((kept._array, array_ops.raw(total)))
        found = np.broadcast_shapes(shape, total.shape)
        if found != shape:
            raise RuntimeError(messages.CHANGED_SHAPE.format(list(shape), list(found)))


def set_data(tensor: Tensor, value: Any) -> None:
    """Assign `.data`: the tensor takes over the memory of `value`, and stays where it is in the graph."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if tensor.requires_grad and not value.dtype.is_floating_point:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    tensor._array, tensor._view = value._memory().view(), None


detached: dict[int, tuple[weakref.ref, weakref.ref]] = {}  # by id: tensors that `detach_` cut, and what made them


def demand_attached(node: Any) -> None:
    """RuntimeError, in torch's words, if `detach_` has cut a tensor from the graph since the node saved it."""
    for each in node.saved:
        cut = detached.get(id(each))
        if cut is not None and cut[0]() is each:
            made_by = cut[1]()
            if made_by is not None and any(target is made_by for target in node.edges):
                raise RuntimeError(messages.DETACHED)


def detach_(tensor: Tensor) -> Tensor:
    """Cut the tensor itself from the graph. RuntimeError for a view: its base would stay inside."""
    if tensor._view is not None:
        raise RuntimeError(messages.DETACH_VIEW)
    if tensor._made_by is not None:
        key = id(tensor)
        detached[key] = weakref.ref(tensor, lambda _: detached.pop(key, None)), weakref.ref(tensor._made_by)
    tensor._made_by, tensor._requires_grad = None, False
    return tensor


# --- shapes that meet ----------------------------------------------------------------------------


def comes_from(shape: Sequence[int], larger: Sequence[int]) -> bool:
    """True if broadcasting can make a value of the `larger` shape from one of `shape`."""
    new = len(larger) - len(shape)
    return new >= 0 and all(have in (1, want) for want, have in zip(larger[new:], shape, strict=True))


def demand_broadcast(values: Sequence[Any]) -> None:
    """RuntimeError, in torch's words, if two arrays have shapes that cannot be broadcast to one."""
    shapes = [value.shape for value in values if isinstance(value, (np.ndarray, np.generic))]
    if len(shapes) != 2:
        return
    ndim = max(map(len, shapes))
    a, b = ((1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes)
    for axis in reversed(range(ndim)):
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            raise RuntimeError(messages.SIZES.format(a[axis], b[axis], axis))


# --- changes in place ----------------------------------------------------------------------------


def expanded(array: np.ndarray) -> bool:
    """True if several entries lie in one place of memory."""
    steps = zip(array.strides, array.shape, strict=True)
    return 0 in array.strides and array.size > 0 and any(step == 0 < size - 1 for step, size in steps)


def demand_apart(memory: np.ndarray, given: np.ndarray) -> None:
    """RuntimeError, in torch's words, if a change of `memory`, entry by entry, could change what is read of `given`."""
    if _overlap(memory, given):
        raise RuntimeError(messages.SHARED_MEMORY.format(OVERLAP))
    if _entangled(memory, given):
        raise RuntimeError(messages.ENTANGLED)


def write(memory: np.ndarray, values: np.ndarray) -> None:
    """Put the values into memory; where several entries lie in one place, those that are new there."""
    if not expanded(memory):
        memory[...] = values
        return
    new = ~((values == memory) | ((values != values) & (memory != memory)))
    memory[new] = values[new]


def allow_expanded(tensor: Tensor, operation: str, example: str) -> None:
    """A UserWarning where an operation changes, in place, some entries of an expanded tensor, and so their copies."""
    if expanded(tensor._memory()):
        warn(messages.EXPANDED.format(operation, example))


OVERLAP = "some elements of the input tensor and the written-to tensor refer"


def changed_since(node: Any, *places: int) -> RuntimeError:
    """The error for saved values of `node` that were changed in place since; `places` count in `node.saved`."""
    roles = node.roles()
    place = min(places, key=lambda each: (roles[each] == "result", roles[each]))  # torch names one, in this order
    saved = node.saved[place]
    made_by, index = (node, saved.index) if isinstance(saved, scalar.SavedOutput) else (saved.grad_fn, saved.output_nr)
    which = f", which is output {index} of {label(made_by)}," if made_by else ""
    dtype, shape = dtypes.of_array(saved._array), list(saved._array.shape)
    kind = "CPUBoolType" if dtype is dtypes.bool_ else dtype.tensor_type
    expected = leaf.expected_versions(node)[place]
    hint = messages.CHANGED_HINT_OF_ANOMALY if state.anomalies else messages.CHANGED_HINT
    return RuntimeError(messages.CHANGED_SINCE.format(kind, shape, which, leaf.version(saved), expected, hint))


def refusal(view: Tensor, changed: str) -> str:
    """Why a change in place around a view of this origin is refused."""
    origin, made_by = view._view.origin, view._made_by
    made_by = made_by.owner if isinstance(made_by, multi_output.Output) else made_by
    which = f"Output {view.output_nr} of {label(made_by)} is a view" if made_by else "A view was"
    if origin == "no_grad" or not made_by:
        which += f"{' of a view which was' if made_by else ''} created in no_grad mode"
        return f"{which} and {changed} modified inplace with grad mode enabled. {messages.ORIGINS[origin]}"
    return f"{which} and {changed} modified inplace. {messages.ORIGINS[origin]}"


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """True if two arrays without gaps share some of their memory, unless they are the same."""
    if a.base is None is b.base:
        return False
    (low_a, high_a), (low_b, high_b) = (np.lib.array_utils.byte_bounds(each) for each in (a, b))
    if high_a - low_a != a.nbytes or high_b - low_b != b.nbytes:
        return False  # with gaps between the entries, torch does not look
    same = (low_a, high_a) == (low_b, high_b) and a.strides == b.strides
    return not same and low_a < high_b and low_b < high_a


def _entangled(a: np.ndarray, b: np.ndarray) -> bool:
    """True if a change of a, entry by entry, would change entries of b that are read later."""
    if a.base is None is b.base or not np.may_share_memory(a, b) or not np.shares_memory(a, b):
        return False
    try:
        b = np.broadcast_to(b, a.shape)
    except ValueError:
        return False  # the shapes do not meet, which is said elsewhere
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return a.ctypes.data != b.ctypes.data or any(size > 1 and one != other for size, one, other in steps)


def label(node: Any) -> str:
    """A node's name as torch's errors have it: `Exp` for ExpBackward0, `Sum1` for SumBackward1."""
    name, backward, number = node.name().rpartition("Backward")
    return name + number.removesuffix("0") if backward and number in ("", "0", "1", "2", "3", "4") else node.name()


# --- attributes that cannot be assigned ----------------------------------------------------------


def read_only(name: str, value: property, owner: str = "torch._C.TensorBase") -> property:
    """The property, with torch's AttributeError for who assigns or deletes it."""

    def refuse(self: Any, *value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of '{owner}' objects is not writable")

    return value.setter(refuse).deleter(refuse)


for _name, _value in [*vars(Tensor).items()]:
    if isinstance(_value, property) and _value.fset is None:
        setattr(Tensor, _name, read_only(_name, _value))
