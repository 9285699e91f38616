"""Modules that keep the settings of a function and call it, made from the function: its arguments are theirs.

Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minigrad.nn.losses import of_old
from minigrad.nn.modules.module import Module

BUFFERS = ("weight", "pos_weight")  # settings of a loss that are part of its state
OF_OLD = ("size_average", "reduce")  # what they say goes into `reduction`


class Calling(Module):
    """What the modules have in common that `calling` makes."""

    shown: tuple[str, ...] = ()

    def _keep(self, given: dict[str, Any]) -> None:
        """Take the arguments of `__init__` as attributes and buffers."""
        super().__init__()
        old = [given.pop(each, None) for each in OF_OLD]
        if old != [None, None]:
            given["reduction"] = of_old(*old)
        for name, value in given.items():
            if name in BUFFERS:
                self.register_buffer(name, value)
            elif name != "self":
                setattr(self, name, value)

    def extra_repr(self) -> str:
        values = [(name, getattr(self, name)) for name in self.shown]
        return ", ".join([f"{name}={value!r}" for name, value in values if name != "inplace" or value])


def calling(module: str, name: str, function: Callable, *without: str) -> Any:
    """A module that calls a function of tensors; the arguments with a default are its settings, but those `without`.

    Its text shows them, unless it is a loss; `inplace` only where it is True.
    """
    given = [each for each in inspect.signature(function).parameters.values() if each.name not in without]
    tensors = ", ".join([each.name for each in given if each.default is each.empty])
    settings = {each.name: each.default for each in given if each.default is not each.empty}
    kept = [each for each in settings if each not in OF_OLD]
    # Python functions with these arguments: it refuses a wrong call in its own words
    texts = {
        "__init__": f"lambda {', '.join(['self', *settings])}: self._keep(locals())",
        "forward": f"lambda self, {tensors}: call({tensors}, {', '.join([f'{each}=self.{each}' for each in kept])})",
    }
    place = f"{__file__}, {name}"  # so that a warning passes them over
    methods = {each: eval(compile(text, place, "eval"), {"call": function}) for each, text in texts.items()}
    methods["__init__"].__defaults__ = tuple(settings.values())
    for each, method in methods.items():
        method.__name__, method.__qualname__ = each, f"{name}.{each}"
    shown = () if "reduction" in settings else tuple(kept)
    text = f"`{function.__name__}` as a module: {function.__doc__}"
    return type(name, (Calling,), {**methods, "__module__": module, "__doc__": text, "shown": shown})
