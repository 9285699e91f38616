"""Checks before changing a tensor: assigning `.grad`, `.requires_grad`, `.data`, leaving the graph, changing in place.
Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes, inference, messages
from minigrad.compat.typenames import demand_bool


def demand_gradient(tensor: Any, value: Any, kind: Any) -> None:
    """Raise TypeError or RuntimeError unless the value has the tensor's shape and dtype, as `.grad` must."""
    if not isinstance(value, kind):
        raise TypeError(messages.GRAD_TYPE.format(type(value).__name__))
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = tensor.dtype if tensor._grad_dtype == "" else tensor._grad_dtype
    if wanted is not None and value.dtype is not wanted:
        raise RuntimeError(messages.GRAD_DTYPE.format(value.dtype.cpp_name, wanted.scalar_type))
    if value.shape != tensor.shape:
        raise RuntimeError(messages.GRAD_SHAPE.format(list(value.shape), list(tensor.shape)))


def set_requires_grad(tensor: Any, flag: bool) -> None:
    """Set the flag of a leaf. RuntimeError for a non-leaf, or a dtype without gradients."""
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not tensor.is_leaf:
        raise RuntimeError(messages.FLAG if flag else messages.FLAG_HINT)
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if flag and inference.counter is None and inference.is_inference(tensor):
        raise RuntimeError(messages.INFERENCE_FLAG)
    tensor._requires_grad = flag


def grad_dtype(tensor: Any) -> Any:
    """The dtype of a leaf's gradient: its own, unless set; None for any. RuntimeError for a non-leaf."""
    if not tensor.is_leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return tensor.dtype if tensor._grad_dtype == "" else tensor._grad_dtype


def set_grad_dtype(tensor: Any, value: Any) -> None:
    """Set the dtype of a leaf's gradient, None for any. RuntimeError for a non-leaf, or beside another gradient."""
    if value is not None and not isinstance(value, dtypes.dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
    kept = tensor.grad  # of a non-leaf with a warning, as in torch
    if not tensor.is_leaf:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if kept is not None and value is not None and kept.dtype is not value:
        raise RuntimeError(messages.GRAD_DTYPE_SET.format(value.scalar_type, kept.dtype.cpp_name))
    tensor._grad_dtype = value


def requires_grad_(tensor: Any, requires_grad: bool = True) -> Any:
    """Request a gradient, or stop doing so. RuntimeError for False on a non-leaf, and for integers and bools."""
    demand_bool("requires_grad_(): argument 'requires_grad' (position 1)", requires_grad)
    if requires_grad and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if not requires_grad or tensor.is_leaf:
        set_requires_grad(tensor, requires_grad)
    return tensor


def demand_room(kept: Any, total: Any, leaf: np.ndarray) -> None:
    """RuntimeError for a gradient that cannot be added to the leaf's because its shape has changed; a warning where
    what the leaf keeps is laid out in memory otherwise than the leaf.
    """
    shape = kept._array.shape
    if kept._array.strides != leaf.strides and shape == leaf.shape and 0 not in leaf.strides and leaf.size:
        steps = [[step // item.itemsize for step in item.strides] for item in (kept._array, leaf)]
        if any(size > 1 and a != b for size, a, b in zip(shape, *steps, strict=True)):
            messages.warn_once(messages.LAYOUT.format(list(shape), steps[0], list(shape), steps[1]), "layout")
    if total.shape != shape and not comes_from(total.shape, shape):
        raise RuntimeError(messages.CHANGED_SHAPE.format(list(shape), list(total.shape)))


def set_data(tensor: Any, value: Any, kind: Any) -> None:
    """Assign `.data`: the tensor takes over the memory of `value`, and stays where it is in the graph."""
    if not isinstance(value, kind):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if tensor.requires_grad and not value.dtype.is_floating_point:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    before, array = tensor._array, value._memory().view()
    if tensor._requires_grad and (before.shape != array.shape or before.dtype is not array.dtype):
        form = np.broadcast_to(np.zeros((), before.dtype), before.shape)
        tensor._former = (*tensor._former, form)  # the graph so far was made for it
    tensor._array, tensor._view = array, None


def comes_from(shape: Sequence[int], larger: Sequence[int]) -> bool:
    """True if a value of `shape` can be broadcast to the `larger` shape."""
    new = len(larger) - len(shape)
    return new >= 0 and all(have in (1, want) for want, have in zip(larger[new:], shape, strict=True))


def demand_broadcast(values: Sequence) -> None:
    """RuntimeError, in torch's words, if the shapes of two arrays cannot be broadcast together."""
    shapes = [value.shape for value in values if isinstance(value, (np.ndarray, np.generic))]
    last = max(map(len, shapes), default=0) - 1
    for place, (a, b) in enumerate(zip(*map(reversed, shapes), strict=False) if len(shapes) == 2 else ()):
        if a != b and 1 not in (a, b):
            raise RuntimeError(messages.SIZES.format(a, b, last - place)) from None  # numpy has said it in its words


def expanded(array: np.ndarray) -> bool:
    """True if several entries share one place in memory."""
    if 0 not in array.strides or not array.size:
        return False
    return any(step == 0 < size - 1 for step, size in zip(array.strides, array.shape, strict=True))


OVERLAP = "some elements of the input tensor and the written-to tensor refer"


def demand_apart(memory: np.ndarray, given: np.ndarray) -> None:
    """RuntimeError, in torch's words, if changing `memory` entry by entry could change what is read from `given`; not
    where there are gaps between the entries (`x /= x[:, :1]`), which torch does not check.
    """
    if memory.base is None is given.base or not np.may_share_memory(memory, given):
        return
    first, steps = given.ctypes.data, given.strides
    if given.shape != memory.shape and (_has_gaps(memory) or _has_gaps(given)):
        if not comes_from(given.shape, memory.shape):
            return  # reported elsewhere
        steps = np.broadcast_to(given, memory.shape).strides
    if (memory.ctypes.data, memory.strides) != (first, steps) and np.shares_memory(memory, given):
        raise RuntimeError(messages.SHARED_MEMORY.format(OVERLAP))


def _has_gaps(array: np.ndarray) -> bool:
    """True if there are gaps between the entries, or several of them share one place."""
    low, high = np.lib.array_utils.byte_bounds(array)
    return high - low != array.nbytes


def write(memory: np.ndarray, values: np.ndarray) -> None:
    """Put the values into memory; where several entries share one place, the ones that are new there."""
    new = (values != memory) & ((values == values) | (memory == memory)) if expanded(memory) else ...
    memory[new] = values[new]


def is_result(kept: object) -> bool:
    """True if what a node keeps is its own result, or one of them."""
    return getattr(kept, "index", None) is not None


def roles(node: Any) -> list[str]:
    """torch's name for each value that a node has saved: `self`, `other`, `result`."""
    names = (*node.saves, *[f"saved{place}" for place in range(len(node.saves), len(node.saved))])
    return ["result" if is_result(item) else name for name, item in zip(names, node.saved, strict=False)]


def changed_since(node: Any, *places: int) -> RuntimeError:
    """The error for saved values of `node` that were changed in place since; `places` count in `node.saved`."""
    names = roles(node)
    place = min(places, key=lambda item: (names[item] == "result", names[item]))  # torch names only one, in this order
    saved = node.saved[place]
    tensor, expected = getattr(saved, "tensor", saved), getattr(saved, "version", 0)
    made_by, index = (node, saved.index) if is_result(saved) else (tensor.grad_fn, tensor.output_nr)
    which = f", which is output {index} of {label(made_by)}," if made_by else ""
    kind = "CPUBoolType" if tensor.dtype is dtypes.bool_ else tensor.dtype.tensor_type
    shape, now = list(tensor.shape), tensor._version
    return RuntimeError(messages.CHANGED_SINCE.format(kind, shape, which, now, expected, node._advice))


def refusal(view: Any, changed: str) -> str:
    """Why a change in place around a view of this origin is refused."""
    origin, made_by = view._view.origin, view._made_by and view._made_by.owner
    which = f"Output {view.output_nr} of {label(made_by)} is a view" if made_by else "A view was"
    if origin == "inference_mode":
        mode = "created in inference mode and is being modified inplace in normal mode."
        return f"{which} {mode} {messages.ORIGINS[origin]}"
    if origin != "no_grad" and made_by:
        return f"{which} and {changed} modified inplace. {messages.ORIGINS[origin]}"
    which += f"{' of a view which was' if made_by else ''} created in no_grad mode"
    return f"{which} and {changed} modified inplace with grad mode enabled. {messages.ORIGINS[origin]}"


def label(node: Any) -> str:
    """A node's name in torch's errors: `Exp` for ExpBackward0, `Sum1` for SumBackward1."""
    name, backward, number = node.name().rpartition("Backward")
    return name + number.removesuffix("0") if backward and number in ("", "0", "1", "2", "3", "4") else node.name()
