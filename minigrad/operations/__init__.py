"""The breadth: operations beyond the floors, and how one is added.

`register("square", Square)` makes a Function the method `Tensor.square` and the function `torch.square`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from minigrad.scalar import Function
from minigrad.tensor import Tensor

functions: dict[str, Callable] = {}  # what `torch.` offers besides what is imported into it by name


def register(name: str, operation: type[Function] | Callable) -> None:
    """Make `operation` the method `Tensor.<name>` and the function `minigrad.<name>`.

    `operation` is a Function, applied to the arguments as they come, or a plain function of Tensors.
    ValueError if `name` is taken.
    """
    if hasattr(Tensor, name):
        raise ValueError(f"Tensor.{name} exists already")
    is_node = isinstance(operation, type) and issubclass(operation, Function)

    def call(*inputs: Any, **settings: Any) -> Any:
        return (operation.apply if is_node else operation)(*inputs, **settings)  # type: ignore[union-attr]

    call.__name__ = call.__qualname__ = name
    call.__doc__ = operation.__doc__
    setattr(Tensor, name, call)
    functions[name] = call


def unregister(name: str) -> None:
    """Take back what `register` added."""
    delattr(Tensor, name)
    del functions[name]


register("add", operator.add)
register("sub", operator.sub)
register("mul", operator.mul)
register("div", operator.truediv)
register("pow", operator.pow)
register("neg", operator.neg)
register("matmul", operator.matmul)
register("square", lambda input: input**2)
functions["sum"] = lambda input, dim=None, keepdim=False: input.sum(dim, keepdim)
functions["mean"] = lambda input, dim=None, keepdim=False: input.mean(dim, keepdim)
