"""What a `with` block and a decorator have in common: code that runs while something is switched.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minigrad import words
from minigrad.words import warn

CO_GENERATOR = 0x20  # as in the module inspect, which takes long to import


class Block:
    """What a `with` block can be, and a decorator: every call of the function then runs in a block of its own."""

    def __new__(cls, function: Callable | None = None) -> Any:
        return object.__new__(cls) if function is None else within(cls, function)

    def __call__(self, function: Callable) -> Callable:
        return within(type(self), function)


def within(block: Callable, function: Callable) -> Callable:
    """The function, with every call of it inside a block of its own; of a generator, every step."""

    def inside(*args: Any, **kwargs: Any) -> Any:
        with block():
            return function(*args, **kwargs)

    def steps(*args: Any, **kwargs: Any) -> Any:
        generator, answer = function(*args, **kwargs), None
        while True:
            try:
                with block():
                    item = generator.send(answer)
            except StopIteration as end:
                return end.value
            answer = yield item

    if isinstance(function, type):
        warn(words.DECORATED_CLASS, FutureWarning)
    is_generator = getattr(getattr(function, "__code__", None), "co_flags", 0) & CO_GENERATOR
    return functools.wraps(function)(steps if is_generator else inside)
