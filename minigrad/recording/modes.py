"""Switching recording on and off, besides `leaf.no_grad`.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html
"""

from __future__ import annotations

from collections.abc import Callable

from minigrad import leaf
from minigrad.compat import inference
from minigrad.compat.context_decorator import Block, within
from minigrad.compat.typenames import demand_bool


class enable_grad(Block):
    """Record operations in the block, even inside `no_grad`."""

    before = True
    asked = False

    def __enter__(self) -> None:
        self.before, self.asked = leaf.recording, inference.ask(True)
        leaf.recording = inference.counter is None

    def __exit__(self, *error: object) -> None:
        leaf.recording = self.before
        inference.ask(self.asked)


class set_grad_enabled:
    """Switch recording on or off immediately; as a context manager or decorator, only for its duration."""

    def __init__(self, mode: bool):
        demand_bool("set_grad_enabled(): argument 'enabled' (position 1)", mode)
        self.mode, self.before, self.asked = mode, leaf.recording, inference.ask(mode)
        leaf.recording = mode and inference.counter is None

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        leaf.recording = self.before
        inference.ask(self.asked)

    def __call__(self, function: Callable) -> Callable:
        self.__exit__()  # as a decorator it changes nothing until the function runs
        return within(lambda: set_grad_enabled(self.mode), function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


def is_grad_enabled() -> bool:
    """True while operations are recorded; in inference mode also if it was told to, in vain."""
    return leaf.recording or inference.asked()
