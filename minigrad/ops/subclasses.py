"""Classes that a program derives from Tensor: what an operation makes of such a tensor is of its class again.
Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#subclassing-torch-tensor
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from minigrad.ops import registry, slicing
from minigrad.tensor import Tensor

SLOTS = [item for item in Tensor.__slots__ if not item.startswith("__")]
PLAIN = {"__new__", "__init__", "__hash__", "__repr__", "__reduce_ex__", "__deepcopy__", "as_subclass"}


@registry.register("as_subclass", function=False)
def as_subclass(input: Tensor, cls: Any) -> Tensor:
    """The same memory and graph as a tensor of a class derived from Tensor. TypeError for another class."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        how = "that does not inherit from Tensor is not possible. Make sure your class inherits from Tensor."
        raise TypeError(f"Creating a Tensor subclass from a class {how}")
    alias = slicing.Alias.apply(input)  # a view, as in torch
    result: Any = object.__new__(cls)
    for slot in SLOTS:
        setattr(result, slot, getattr(alias, slot))
    return result


def derived(cls: type[Tensor], **settings: Any) -> None:
    """Let a new class have Tensor's methods and operators in a form that keeps the class; the engine's own have not."""
    super(Tensor, cls).__init_subclass__(**settings)
    if cls.__module__.startswith("torch"):
        return
    registry.set_keep_class(kept)
    for name in dir(Tensor):
        there = next((vars(item)[name] for item in cls.__mro__ if name in vars(item)), None)
        if isinstance(there, FunctionType) and name not in PLAIN and getattr(Tensor, name, None) is there:
            setattr(cls, name, keeping(there))
    for name in ("T", "mT", "data"):
        there = getattr(Tensor, name)
        setattr(cls, name, property(keeping(there.fget), there.fset, there.fdel))


def keeping(operation: Any) -> Callable:
    """An operation whose results are of the class of its inputs."""

    @functools.wraps(operation)
    def call(*args: object, **kwargs: object) -> object:
        return kept(operation(*args, **kwargs), args)

    return call


def kept(result: Any, given: Iterable) -> Any:
    """The result, its tensors in the class of the input that is the most derived one of a program's."""
    kinds = {type(item) for one in given for item in (one if isinstance(one, (tuple, list)) else (one,))}
    own = [kind for kind in kinds if issubclass(kind, Tensor) and not kind.__module__.startswith("torch")]
    if not own:
        return result
    kind = max(own, key=lambda item: len(item.__mro__))
    if type(result) is Tensor:
        return as_subclass(result, kind)
    if isinstance(result, (tuple, list)):
        each = [kept(one, given) if isinstance(one, (Tensor, tuple, list)) else one for one in result]
        return type(result)(*each) if hasattr(result, "_fields") else type(result)(each)
    return result


setattr(Tensor, "__init_subclass__", classmethod(derived))  # noqa: B010
