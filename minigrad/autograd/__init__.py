"""torch's names for the chapters' functions: `backward`, `grad`, `Function`, `functional`, `gradcheck`, `Variable`.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html
"""

from __future__ import annotations

import importlib
from typing import Any

from minigrad import leaf
from minigrad.autograd import grad_mode
from minigrad.autograd.function import Function
from minigrad.graph import state
from minigrad.ops.creation import legacy as variable
from minigrad.ops.creation.legacy import Variable
from minigrad.passing.gradients import backward, grad
from minigrad.tensor import Tensor

# isort: split
from minigrad.autograd import anomaly_mode, function, functional
from minigrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck  # the function replaces its module


def __getattr__(name: str) -> Any:
    if name in grad_mode.NAMES:
        return getattr(grad_mode, name)
    if name in ("forward_ad", "graph"):  # loaded on first use
        return importlib.import_module(f"minigrad.autograd.{name}")
    raise AttributeError(f"minigrad.autograd has no {name!r} (torch's may have it)")


class enforce_grad_layout_policy:
    """In the `with` block, whether `.grad` is laid out in memory like its leaf (the default), or as it comes."""

    def __init__(self, enabled: bool):
        self.enabled = enabled

    def __enter__(self) -> None:
        self.before, state.grad_layout = state.grad_layout, self.enabled

    def __exit__(self, *error: object) -> None:
        state.grad_layout = self.before


class _unsafe_preserve_version_counter:
    """In the `with` block, changes of these tensors in place are not counted."""

    def __init__(self, tensors: Tensor | tuple[Tensor, ...]):
        self.counters = [leaf.counter(item) for item in (tensors if isinstance(tensors, tuple) else (tensors,))]
        self.before = [counter[0] for counter in self.counters]

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        for counter, before in zip(self.counters, self.before, strict=True):
            counter[0] = before


__all__ = ["enforce_grad_layout_policy"]
__all__ += ["Function", "Variable", "anomaly_mode", "backward", "detect_anomaly", "function", "functional", "grad"]
__all__ += ["grad_mode", "gradcheck", "gradgradcheck", "set_detect_anomaly", "variable"]
