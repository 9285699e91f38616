"""Tensors that a module registers when they become its attributes.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import checks, typenames
from minigrad.tensor import Tensor


class Parameter(Tensor):
    """A leaf that requires grad, made from a tensor, outside its graph but sharing its memory. RuntimeError
    for integers, unless `requires_grad` is False; AttributeError for anything that is not a tensor.
    """

    __module__ = "torch.nn.parameter"
    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        typenames.refuse_foreign(data)
        alias = (Tensor() if data is None else data).detach()
        if requires_grad and not alias.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        alias.__class__ = cls
        checks.set_requires_grad(alias, requires_grad)
        return alias

    def __deepcopy__(self, memo: dict) -> Any:
        """A copy of the values; the gradient is not copied."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class _BufferMeta(type):
    """Asks a tensor whether it was made as a Buffer, as it has no class of its own."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and "_is_buffer" in vars(instance)


class Buffer(metaclass=_BufferMeta):
    """A tensor, on the memory of another one, that a module registers as a buffer when it becomes its attribute; it is
    part of the state unless `persistent` is False.
    """

    __module__ = "torch.nn.parameter"

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        tensor: Any = Tensor() if data is None else data.detach().requires_grad_(data.requires_grad)
        tensor.persistent, tensor._is_buffer = persistent, True
        return tensor


def forget_grad(tensor: Tensor, set_to_none: bool) -> None:
    """Remove a tensor's `.grad`, or fill it with zeros and cut it from its graph."""
    grad = tensor.grad
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        (grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_()).zero_()
