"""What may be assigned to a tensor's attributes: `.grad`, `.requires_grad`, `.data`, and leaving the graph for good.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from typing import Any

from minigrad import words
from minigrad.tensor import Tensor


def set_grad(tensor: Tensor, value: Any) -> None:
    """Assign `.grad`: a tensor of the same shape and dtype, or None. TypeError or RuntimeError otherwise."""
    if value is not None:
        if not isinstance(value, Tensor):
            raise TypeError(words.GRAD_TYPE.format(type(value).__name__))
        if value is tensor:
            raise RuntimeError("can't assign Variable as its own grad")
        if value.dtype is not tensor.dtype:
            raise RuntimeError(words.GRAD_DTYPE.format(value.dtype.cpp_name, tensor.dtype.scalar_type))
        if value.shape != tensor.shape:
            raise RuntimeError(words.GRAD_SHAPE.format(list(value.shape), list(tensor.shape)))
    tensor._grad = value


def set_requires_grad(tensor: Tensor, flag: bool) -> None:
    """Set the flag of a leaf. RuntimeError on a non-leaf, or where the dtype has no gradients."""
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not tensor.is_leaf:
        raise RuntimeError(words.FLAG if flag else words.FLAG_HINT)
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


def set_data(tensor: Tensor, value: Any) -> None:
    """Assign `.data`: the tensor takes over the memory of `value`, and stays where it is in the graph."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if tensor.requires_grad and not value.dtype.is_floating_point:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    tensor._array, tensor._view = value._memory().view(), None


def detach_(tensor: Tensor) -> Tensor:
    """Cut the tensor itself from the graph. RuntimeError for a view: its base would stay inside."""
    if tensor._view is not None:
        raise RuntimeError(words.DETACH_VIEW)
    tensor._made_by, tensor._requires_grad = None, False
    return tensor
