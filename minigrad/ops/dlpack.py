"""Tensors on the memory of other libraries' arrays, and the other way round, by the protocol DLPack.
Mirrors https://docs.pytorch.org/docs/stable/dlpack.html
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from minigrad.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The device, as the protocol numbers it."""

    kDLCPU = 1


class _Capsule:
    """A bare capsule in the form that numpy takes."""

    def __init__(self, capsule: object):
        self.capsule = capsule

    def __dlpack__(self, **settings: object) -> object:
        return self.capsule

    def __dlpack_device__(self) -> tuple:
        return DLDeviceType.kDLCPU, 0


def from_dlpack(ext_tensor: Any, *, device: object = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of an array that has the protocol, or of what `to_dlpack` gave."""
    source: Any = ext_tensor if hasattr(ext_tensor, "__dlpack__") else _Capsule(ext_tensor)
    array = np.from_dlpack(source)
    return Tensor._of(array.copy() if copy else array)


def to_dlpack(tensor: Tensor) -> Any:
    """The tensor's memory as a capsule. BufferError for a tensor that requires grad."""
    return tensor.__dlpack__(max_version=(1, 0))  # an older one is only for reading


def exported(self: Tensor, **settings: Any) -> Any:
    """`Tensor.__dlpack__`: the memory as a capsule. BufferError for a tensor that requires grad."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self._memory().__dlpack__(**{name: value for name, value in settings.items() if name != "stream"})
