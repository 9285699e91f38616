"""torch.nn, as far as minigrad has it: `Parameter`.

Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

from typing import Any

from minigrad.operations.creation import leaf_of
from minigrad.tensor import Tensor


class Parameter(Tensor):
    """A leaf that requires grad, cut from the graph of the tensor it is made of and sharing its memory."""

    __slots__ = ()

    def __new__(cls, data: Any, requires_grad: bool = True) -> Any:
        return cls._of(leaf_of(data.detach()._array, requires_grad)._array, requires_grad)

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()
