"""Floor 4: who keeps a gradient.

A leaf is a tensor that no recorded operation made: it has no `grad_fn`. Only a leaf that requires grad keeps what
the walk brings it, in `.grad`, and it *adds*: a second backward adds to the first, until you set `.grad` to None.

A leaf that requires grad cannot be changed in place: the graph would have no record of its old value. Other
tensors can, and every change is counted, because a node may have saved the old value for its backward.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
"""

from __future__ import annotations

import warnings
import weakref
from bisect import bisect
from typing import Any

import numpy as np

from minigrad import dtypes, scalar, upstream
from minigrad.tensor import Tensor

# --- gradients -----------------------------------------------------------------------------------


def is_leaf(tensor: Tensor) -> bool:
    """True unless a recorded operation made the tensor."""
    return tensor.grad_fn is None


def accumulate(leaf: Tensor, grad: Tensor) -> None:
    """Add `grad`, of the leaf's shape, to what the leaf already keeps.

    The same `.grad` tensor is changed in place, so a name you gave it earlier sees the sum.
    """
    if leaf._grad is None:
        leaf._grad = Tensor._of(np.array(grad._array))  # a copy: the walk may share its array between leaves
    else:
        leaf._grad._array[...] += grad._array
        count_change(leaf._grad)


def grad(tensor: Tensor) -> Tensor | None:
    """What the tensor keeps. A UserWarning where nothing will ever arrive: on a non-leaf."""
    if not tensor.is_leaf and tensor._grad is None:
        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
            "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
            "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
            "by mistake, make sure you access the leaf Tensor instead. See "
            "github.com/pytorch/pytorch/pull/30531 for more information.",
            UserWarning,
            stacklevel=3,
        )
    return tensor._grad


def set_grad(tensor: Tensor, value: Any) -> None:
    """Assign `.grad`: a tensor of the same shape and dtype, or None. TypeError or RuntimeError otherwise."""
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value is not None and value.dtype is not tensor.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.cpp_name}' to a tensor with "
            f"grad_dtype '{tensor.dtype.scalar_type}'. The gradient must match the tensor's grad_dtype (defaults "
            "to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None "
            "to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient "
            "may break downstream systems that assume they match."
        )
    if value is not None and value.shape != tensor.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    tensor._grad = value


def set_requires_grad(tensor: Tensor, flag: bool) -> None:
    """Set the flag of a leaf. RuntimeError on a non-leaf, or where the dtype has no gradients."""
    if not tensor.is_leaf:
        hint = (
            ""
            if flag
            else " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach()."
        )
        raise RuntimeError(f"you can only change requires_grad flags of leaf variables.{hint}")
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    tensor._requires_grad = flag


def requires_grad_(tensor: Tensor, flag: bool = True) -> Tensor:
    """The method form, with torch's own texts: silent for True on a non-leaf."""
    if flag and not tensor.dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if not flag or tensor.is_leaf:
        set_requires_grad(tensor, flag)
    return tensor


class AccumulateGrad:
    """How a leaf appears in `next_functions`: the end of an edge, where the gradient is kept."""

    __slots__ = ("variable",)
    next_functions = ()

    def __init__(self, variable: Tensor):
        self.variable = variable

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self):#x}>"


# --- changes in place ----------------------------------------------------------------------------

# For each buffer that was ever changed: when, in the numbers that nodes are counted with.
_changes: dict[int, list[int]] = {}


def _buffer(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory; all views of it share one count."""
    return array if array.base is None else array.base


def count_change(tensor: Tensor) -> None:
    """Note that the tensor's memory has changed."""
    buffer = _buffer(tensor._array)
    if id(buffer) not in _changes:
        _changes[id(buffer)] = []
        weakref.finalize(buffer, _changes.pop, id(buffer), None)
    _changes[id(buffer)].append(next(scalar._numbers))


def version(tensor: Tensor) -> int:
    """How often the tensor's memory has been changed in place."""
    return len(_changes.get(id(_buffer(tensor._array)), ()))


def check_versions(node: Any) -> None:
    """RuntimeError if a value that `node` saved has been changed in place since."""
    if not _changes:
        return
    for saved in node.saved:
        if not isinstance(saved, np.ndarray) or id(_buffer(saved)) not in _changes:
            continue
        changes = _changes[id(_buffer(saved))]
        expected = bisect(changes, node.number)
        if expected < len(changes):
            kind = dtypes.of_array(saved).tensor_type
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace "
                f"operation: [{kind} {list(saved.shape)}] is at version {len(changes)}; expected version "
                f"{expected} instead. Hint: enable anomaly detection to find the operation that failed to "
                "compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
            )


def demand_room(value: Tensor, chosen: Tensor) -> None:
    """RuntimeError, in torch's words, unless `value` can be broadcast to the entries it is to replace."""
    have, want = list(value.shape), list(chosen.shape)
    while have[:1] == [1]:
        del have[0]
    if len(have) > len(want):
        kind = "CPUBoolType" if value.dtype is dtypes.bool_ else value.dtype.tensor_type
        raise RuntimeError(
            f"expand({kind}{{{have}}}, size={want}): the number of sizes provided ({len(want)}) "
            f"must be greater or equal to the number of dimensions in the tensor ({len(have)})"
        )
    for axis in range(-1, -len(have) - 1, -1):
        if have[axis] not in (1, want[axis]):
            raise RuntimeError(
                f"The expanded size of the tensor ({want[axis]}) must match the existing size ({have[axis]}) at "
                f"non-singleton dimension {len(want) + axis}.  Target sizes: {want}.  Tensor sizes: {have}"
            )


def demand_changeable(tensor: Tensor, subject: str = "a leaf Variable") -> None:
    """RuntimeError, in torch's words, for a leaf that requires grad: it cannot be changed in place."""
    if tensor.is_leaf and tensor.requires_grad:
        raise RuntimeError(f"{subject} that requires grad is being used in an in-place operation.")


def change(tensor: Tensor, result: Tensor) -> Tensor:
    """Write `result`, computed from the tensor, into its memory. RuntimeError where dtype or shape do not fit."""
    demand_no_record(tensor, result)
    if result.shape != tensor.shape:
        raise RuntimeError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    if result.dtype.kind > tensor.dtype.kind:
        raise RuntimeError(
            f"result type {result.dtype.scalar_type} can't be cast to the desired output type "
            f"{tensor.dtype.scalar_type}"
        )
    tensor._array[...] = result._array
    count_change(tensor)
    return tensor


def assign(tensor: Tensor, where: tuple[int, ...], value: Tensor) -> None:
    """tensor[where] = value, cast to the tensor's dtype. RuntimeError where the shapes do not fit."""
    chosen = upstream.select(tensor.detach(), where)  # raises torch's IndexError
    demand_room(value, chosen)
    demand_changeable(tensor, "a view of a leaf Variable")
    demand_no_record(tensor, value)
    chosen._array[...] = value._array
    count_change(tensor)


def demand_no_record(tensor: Tensor, value: Tensor) -> None:
    """NotImplementedError where a change would have to be recorded, which minigrad does not do yet."""
    if tensor.requires_grad or value.requires_grad:
        raise NotImplementedError(
            "minigrad does not record changes in place yet: write x = x + 1 instead of x += 1 for a tensor "
            "inside a graph"
        )
