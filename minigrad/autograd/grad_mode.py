"""`torch.autograd.grad_mode`: the names that switch recording, looked up in their modules when used.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#locally-disable-grad
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad import leaf
from minigrad.compat import inference
from minigrad.compat.context_decorator import within
from minigrad.recording.modes import enable_grad, set_grad_enabled  # noqa: F401

NAMES = (
    "enable_grad",
    "inference_mode",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
)


class inference_mode:
    """`no_grad`, and what is made in it can never be part of a graph (`compat.inference`); `mode=False` ends that for a
    while. A `with` block or a decorator, with or without parentheses.
    """

    def __new__(cls, mode: Callable | bool = True) -> Any:
        return within(cls, mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: bool = True):
        self.mode = mode

    def __enter__(self) -> None:
        self.before = leaf.recording, inference.switch(self.mode), inference.ask(False)
        leaf.recording = not self.mode

    def __exit__(self, *error: object) -> None:
        leaf.recording = self.before[0]
        inference.switch(self.before[1])
        inference.ask(self.before[2])

    def __call__(self, function: Callable) -> Callable:
        return within(lambda: inference_mode(self.mode), function)


class set_multithreading_enabled:
    """Has no effect but on `is_multithreading_enabled`: a pass runs in the thread that asks for it."""

    now = True

    def __init__(self, mode: bool):
        self.before, set_multithreading_enabled.now = self.now, mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        set_multithreading_enabled.now = self.before


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` has set; True before."""
    return set_multithreading_enabled.now


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode`."""
    return inference.counter is not None


def __getattr__(name: str) -> Any:
    if name == "no_grad":
        return leaf.no_grad  # looked up when it is used
    raise AttributeError(f"minigrad.autograd.grad_mode has no {name!r} (torch's may have it)")
