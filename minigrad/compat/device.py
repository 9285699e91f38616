"""Where a tensor is stored, and how: on the CPU, row by row or with another tensor's layout.
Mirrors https://docs.pytorch.org/docs/stable/tensor_attributes.html
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import pickling
from minigrad.compat.typenames import name_of_type

KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)


class device:
    """A device, such as `torch.device("cpu")`, the only one here; you can name others, but move nothing there."""

    __module__ = "torch"
    __slots__ = ("type", "index")

    def __init__(self, type: Any, index: int | None = None):
        if not isinstance(type, (str, device)):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        kind, colon, number = str(type).partition(":")
        if not kind.replace("_", "").isalpha() or (colon and not number.isdigit()):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if kind not in KINDS.split(", "):
            raise RuntimeError(f"Expected one of {KINDS} device type at start of device string: {kind}")
        self.type, self.index = kind, int(number) if number else index

    def __reduce__(self) -> tuple:
        return pickling.restored, (*pickling.place(device), str(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


class layout:
    """How a tensor is stored: `torch.strided`, an array, is the only layout here."""

    def __init__(self, name: str, in_rows: bool = False):
        self.name, self.in_rows = name, in_rows

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class MemoryFormat(layout):
    """How the entries of a copy are laid out in memory: like the original's, or row by row (`in_rows`)."""


CPU, STRIDED = device("cpu"), layout("strided")
PRESERVED, CONTIGUOUS = MemoryFormat("preserve_format"), MemoryFormat("contiguous_format", in_rows=True)


def get_default_device() -> device:
    """The only device."""
    return CPU


def set_default_device(device: object) -> None:
    """Nothing but a check: there is one device. RuntimeError or NotImplementedError for another one."""
    demand_cpu(device, "set_default_device")


def is_device(value: object) -> bool:
    """True for a valid device: its name, its number, or a `torch.device`."""
    return isinstance(value, (str, int, device))


def demand_cpu(place: object, function: str = "") -> None:
    """An error for a device that is not available, in the words of a CPU build of torch, or for an invalid device."""
    if place is None or place == "cpu":
        return
    if not is_device(place):
        raise TypeError(f"{function}(): argument 'device' must be torch.device, not {name_of_type(place)}")
    kind = device(place).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if kind != "cpu":
        raise NotImplementedError(f"minigrad has the CPU only, not the device {place}")
