"""What may be done to a tensor: assigning `.grad`, `.requires_grad`, `.data`, leaving the graph, changing in place.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes, messages, typenames
from minigrad.compat.messages import warn
from minigrad.compat.typenames import demand_bool


def demand_gradient(tensor: Any, value: Any, kind: Any) -> None:
    """TypeError or RuntimeError for what cannot be the tensor's `.grad`: it is a tensor of its shape and dtype."""
    if not isinstance(value, kind):
        raise TypeError(messages.GRAD_TYPE.format(type(value).__name__))
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.dtype is not tensor.dtype:
        raise RuntimeError(messages.GRAD_DTYPE.format(value.dtype.cpp_name, tensor.dtype.scalar_type))
    if value.shape != tensor.shape:
        raise RuntimeError(messages.GRAD_SHAPE.format(list(value.shape), list(tensor.shape)))


def set_requires_grad(tensor: Any, flag: bool) -> None:
    """Set the flag of a leaf. RuntimeError on a non-leaf, or where the dtype has no gradients."""
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not tensor.is_leaf:
        raise RuntimeError(messages.FLAG if flag else messages.FLAG_HINT)
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    tensor._requires_grad = flag


def requires_grad_(tensor: Any, flag: bool = True) -> Any:
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


def demand_room(kept: Any, total: Any) -> None:
    """RuntimeError, in torch's words, for a gradient that cannot be added to what a leaf keeps: its shape changed."""
    shape = kept._array.shape
    if shape != total.shape:
        demand_broadcast((kept._array, getattr(total, "_array", total)))
        found = np.broadcast_shapes(shape, total.shape)
        if found != shape:
            raise RuntimeError(messages.CHANGED_SHAPE.format(list(shape), list(found)))


def set_data(tensor: Any, value: Any, kind: Any) -> None:
    """Assign `.data`: the tensor takes over the memory of `value`, and stays where it is in the graph."""
    if not isinstance(value, kind):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if tensor.requires_grad and not value.dtype.is_floating_point:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    tensor._array, tensor._view = value._memory().view(), None


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


def allow_expanded(tensor: Any, operation: str, example: str) -> None:
    """A UserWarning where an operation changes, in place, some entries of an expanded tensor, and so their copies."""
    if expanded(tensor._memory()):
        warn(messages.EXPANDED.format(operation, example))


OVERLAP = "some elements of the input tensor and the written-to tensor refer"


def roles(node: Any) -> list[str]:
    """What torch calls each of the values that a node has saved: `self`, `other`, `result`."""
    names = (*node.saves, *[f"saved{place}" for place in range(len(node.saves), len(node.saved))])
    results = [getattr(each, "index", None) is not None for each in node.saved]
    return ["result" if result else name for name, result in zip(names, results, strict=False)]


hint = messages.CHANGED_HINT  # what ends the error below; anomaly mode says something else


def changed_since(node: Any, *places: int) -> RuntimeError:
    """The error for saved values of `node` that were changed in place since; `places` count in `node.saved`."""
    names = roles(node)
    place = min(places, key=lambda each: (names[each] == "result", names[each]))  # torch names one, in this order
    saved = node.saved[place]
    tensor, expected = getattr(saved, "tensor", saved), getattr(saved, "version", 0)
    is_result = getattr(saved, "index", None) is not None
    made_by, index = (node, saved.index) if is_result else (tensor.grad_fn, tensor.output_nr)
    which = f", which is output {index} of {label(made_by)}," if made_by else ""
    dtype, shape = tensor.dtype, list(tensor.shape)
    kind = "CPUBoolType" if dtype is dtypes.bool_ else dtype.tensor_type
    return RuntimeError(messages.CHANGED_SINCE.format(kind, shape, which, tensor._version, expected, hint))


def refusal(view: Any, changed: str) -> str:
    """Why a change in place around a view of this origin is refused."""
    origin, made_by = view._view.origin, view._made_by
    made_by = made_by and made_by.owner
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


def lock(kind: Any) -> None:
    """Make each property of the class, which is Tensor, that has no setter one that torch's error answers for."""
    for name, value in [*vars(kind).items()]:
        if isinstance(value, property) and value.fset is None:
            setattr(kind, name, read_only(name, value))
