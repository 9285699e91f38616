"""Where a tensor lies, and how its entries are kept: on the CPU, row by row or as those of another tensor.

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
    """A device, as `torch.device("cpu")`: minigrad has this one; others can be named, nothing can be moved there."""

    __module__ = "torch"
    __slots__ = ("type", "index")

    def __init__(self, type: Any, index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        kind, _, number = type.partition(":")
        if not kind:
            raise RuntimeError("Device string must not be empty")
        if not kind.replace("_", "").isalpha() or (type.count(":") and not number.isdigit()):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if kind not in KINDS.split(", "):
            raise RuntimeError(f"Expected one of {KINDS} device type at start of device string: {kind}")
        self.type: str = kind
        self.index = int(number) if number else index

    def __reduce__(self) -> Any:
        return pickling.made, (*pickling.place(device), str(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


CPU = device("cpu")


class layout:
    """How the entries of a tensor are kept: `torch.strided`, an array, is the only way here."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "torch.strided"


STRIDED = layout()


def is_device(value: Any) -> bool:
    """True for what may stand for a device: its name, its number, a `torch.device`."""
    return isinstance(value, (str, int, device))


def demand_cpu(place: Any, function: str = "") -> None:
    """Nothing for None and the CPU, an error for a device that is not there: torch's own where it was built for the
    CPU. TypeError for what is no device.
    """
    if place is None or place == "cpu":
        return
    if not is_device(place):
        raise TypeError(f"{function}(): argument 'device' must be torch.device, not {name_of_type(place)}")
    found = place if isinstance(place, device) else device(place)
    if found.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if found.type == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if found.type != "cpu":
        raise NotImplementedError(f"minigrad has the CPU only, not the device {found}")


class MemoryFormat:
    """How the entries of a copy lie in memory: as those of the original, or row by row."""

    __slots__ = ("name", "in_rows")

    def __init__(self, name: str, in_rows: bool):
        self.name, self.in_rows = name, in_rows

    def __repr__(self) -> str:
        return f"torch.{self.name}"


PRESERVED, CONTIGUOUS = MemoryFormat("preserve_format", False), MemoryFormat("contiguous_format", True)
