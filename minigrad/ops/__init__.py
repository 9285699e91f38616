"""Operations beyond the chapters, and how to add one. `register("square", Square)` makes a Function the
method `Tensor.square` and the function `torch.square`.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.compat import unsupported
from minigrad.ops.lazy import Functions
from minigrad.scalar import Function
from minigrad.tensor import Tensor

functions = Functions()  # names in `torch.` that are not imported explicitly
EXERCISES = {"hypot", "logsumexp"}  # students write these as well: theirs replaces ours until it is removed
_ours: dict[str, tuple[Callable, Any]] = {}  # by name: the replaced function and method


def register(name: str, operation: type[Function] | Callable) -> None:
    """Make `operation` the method `Tensor.<name>` and the function `minigrad.<name>`. `operation` is a Function,
    applied to the unchanged arguments, or a plain function of Tensors. ValueError if `name` is taken; but our own
    EXERCISES are replaced.
    """
    if name in EXERCISES and name in functions and name not in _ours:
        _ours[name] = functions[name], vars(Tensor)[name]
        del functions[name]
        delattr(Tensor, name)
    if name in functions or hasattr(Tensor, name):
        raise ValueError(f"Tensor.{name} exists already")
    functions[name] = call = call_of(name, operation)
    setattr(Tensor, name, call)


def unregister(name: str) -> None:
    """Take back what `register` added."""
    del functions[name]
    delattr(Tensor, name)
    if name in _ours:
        functions[name], method = _ours.pop(name)
        setattr(Tensor, name, method)
    unsupported.mark(Tensor)


def call_of(name: str, operation: Any) -> Callable:
    """The operation as a function whose first argument can also be given as `input`."""

    def call(*inputs: Any, **settings: Any) -> Any:
        if "input" in settings:
            inputs = (settings.pop("input"), *inputs)
        if is_node and not (inputs and isinstance(inputs[0], Tensor)):
            given = type(inputs[0]).__name__ if inputs else "nothing"
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {given}")
        return (operation.apply if is_node else operation)(*inputs, **settings)

    is_node = isinstance(operation, type) and issubclass(operation, Function)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = operation.__doc__
    return call
