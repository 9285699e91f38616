"""The base of modules that keep the settings of a function, and call it.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

from __future__ import annotations

from typing import Any

from minigrad.nn.losses import old_reduction
from minigrad.nn.modules.module import Module

BUFFERS = ("weight", "pos_weight")  # settings of a loss that are part of its state
OF_OLD = ("size_average", "reduce")  # converted to `reduction`


class Calling(Module):
    """A module that calls a function of tensors, whose settings are the arguments of its `__init__`."""

    shown = ""  # the settings in the repr

    def _keep(self, given: dict[str, Any]) -> None:
        """Take the arguments of `__init__` as attributes and buffers."""
        super().__init__()
        old = [given.pop(item, None) for item in OF_OLD]
        if old != [None, None]:
            given["reduction"] = old_reduction(*old)
        for name, value in given.items():
            if name in BUFFERS:
                self.register_buffer(name, value)
            elif name != "self":
                setattr(self, name, value)

    def extra_repr(self) -> str:
        values = [(name, getattr(self, name)) for name in self.shown.split()]
        return ", ".join([f"{name}={value!r}" for name, value in values if name != "inplace" or value])
