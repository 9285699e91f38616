"""`torch.autograd.grad_mode`: the names that switch recording, looked up in their modules when used.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#locally-disable-grad
"""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.runtime import grad_mode

NAMES = ("no_grad", "enable_grad", "set_grad_enabled")


def inference_mode(mode: Any = True) -> Any:
    """`no_grad`, or `enable_grad` if `mode` is False. Results are ordinary tensors: torch's can be in no graph ever."""
    return leaf.no_grad(mode) if callable(mode) else leaf.no_grad() if mode else grad_mode.enable_grad()


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return getattr(leaf if name == "no_grad" else grad_mode, name)
    raise AttributeError(f"minigrad.autograd.grad_mode has no {name!r} (torch's may have it)")


def __dir__() -> list[str]:
    return [*NAMES, "inference_mode"]
