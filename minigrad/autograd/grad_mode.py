"""`torch.autograd.grad_mode`: the names that switch recording, looked up in their modules when used.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#locally-disable-grad
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad import leaf
from minigrad.compat.context_decorator import Block
from minigrad.recording.modes import enable_grad, set_grad_enabled  # noqa: F401

NAMES = ("enable_grad", "inference_mode", "no_grad", "set_grad_enabled")


def inference_mode(mode: Callable | bool = True) -> Callable | Block:
    """`no_grad`, or `enable_grad` if `mode` is False. Here a later graph may use the results; torch forbids it."""
    return leaf.no_grad(mode) if callable(mode) else leaf.no_grad() if mode else enable_grad()


def __getattr__(name: str) -> Any:
    if name == "no_grad":
        return leaf.no_grad  # looked up when it is used
    raise AttributeError(f"minigrad.autograd.grad_mode has no {name!r} (torch's may have it)")
