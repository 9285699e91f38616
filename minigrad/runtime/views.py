"""Views: tensors that lie in the memory of another one, and what becomes of them when that memory is changed.

A view shares its base's memory and version counter. It remembers the base and the steps that cut it out; when the
memory was changed in place since it was taken, it is cut anew from its base, as the base is now.

Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks
from minigrad.runtime import array_ops, grad_mode, hooks, record
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class View:
    """How a tensor lies in another one's memory: the base, and the steps that cut the view out of it."""

    __slots__ = ("base", "above", "steps", "origin", "seen", "layout")

    def __init__(self, base: Tensor, above: Tensor, steps: tuple, origin: str):
        self.base, self.above, self.steps = base, above, steps
        array = base._memory()
        self.layout = above._view.layout if above._view else (array.shape, array.strides)  # of the base, for the steps
        self.origin = origin  # why a change in place cannot be recorded: a key of `messages.ORIGINS`, or ""
        self.seen = leaf.version(base)  # at which version the view's source was right

    def source(self, tensor: Tensor) -> Any:
        """The node that made the view `tensor`; if its memory changed since, a new one that cuts it from the base."""
        now = leaf.version(tensor)
        if self.seen == now:
            return tensor._made_by
        base = self.base
        target = base._made_by or (base if base._requires_grad else None)
        if target is not None or tensor._made_by is not None:  # of a base without a gradient: it ends there
            if self.origin:
                raise RuntimeError(checks.refusal(tensor, "its base or another view of its base has been"))
            node: Any = object.__new__(AsStrided.node)
            adopt(node, (target,), tensor._array)
            node.steps, node.axes = self.path(), array_ops.axes_in_memory(base._array)
            hooks.move_keepers(tensor, tensor._made_by, node)
            tensor._made_by = node
        self.seen = now
        return tensor._made_by

    def path(self) -> tuple:
        """The steps from the base as it is now; if its shape was changed in place since, the first one undoes that."""
        array = self.base._array
        if (array.shape, array.strides) == self.layout:
            return self.steps
        return (Rearranged, {"layout": self.layout}), *self.steps


class ViewFunction(Function):
    """An operation whose result is not new: it shows memory of its input in another form."""

    __slots__ = ()

    @classmethod
    def apply(cls, a: Tensor, **settings: Any) -> Any:
        a._memory()
        view = super().apply(a, **settings)
        note_view(view, a, cls, settings)
        return view


def note_view(view: Tensor, tensor: Tensor, operation: type[Function], settings: dict, origin: str = "") -> None:
    """Remember that `view` shares the memory of `tensor`, and its count of changes."""
    view._counter = leaf.counter(tensor)
    above = tensor._view
    base, steps, inherited = (above.base, above.steps, above.origin) if above else (tensor, (), "")
    origin = origin or inherited or ("" if leaf.recording else "no_grad")
    view._view = View(base, tensor, (*steps, (operation, settings)), origin)


def cut(value: Any, steps: tuple) -> Any:
    """The part of an array or Tensor that the steps lead to, sharing its memory."""
    for operation, settings in steps:
        if isinstance(value, Tensor):
            value = operation.apply(value, **settings)
        else:
            value = operation.forward(object.__new__(operation.node), value, **settings)
    return value


def adopt(node: Any, edges: tuple, like: np.ndarray) -> None:
    """Fill in a node that was made by hand, for a result of the shape and dtype of `like`."""
    node.edges, node.saved = edges, ()
    node.needs_input_grad = tuple([target is not None for target in edges])
    record.take_place(node, like.shape, like.dtype)


class AsStrided(Function):
    """What a view becomes when its memory was changed: cut anew from its base, as the base is now.

    Its vjp is that of the steps, one after the other backwards, found by cutting a stand-in for the base.
    """

    __slots__ = ("steps", "axes")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if ctx.edges[0] is None:
            return None
        base = ctx.edges[0]._array if isinstance(ctx.edges[0], Tensor) else ctx.edges[0]
        stand_in = Tensor._of(array_ops.laid_out(np.zeros(base.shape, base.dtype), ctx.axes), requires_grad=True)
        with grad_mode.enable_grad():
            node = cut(stand_in, ctx.steps)._made_by
        while node is not stand_in:
            (grad_output,), (node,) = node.vjp(grad_output), node.edges
        return grad_output


class Rearranged(ViewFunction):
    """The same memory in another layout, which is (shape, strides): a base as it was when its view was taken."""

    __slots__ = ("before", "after")

    @staticmethod
    def forward(ctx: Any, a: Any, layout: tuple) -> Any:
        if math.prod(layout[0]) != a.size:
            raise RuntimeError("minigrad cannot follow a view whose base has other memory now; take the view anew")
        ctx.before, ctx.after = (a.shape, a.strides), layout
        return np.lib.stride_tricks.as_strided(a, *layout)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Relaid, grad_output, before=ctx.after, after=ctx.before)


class Relaid(Function):
    """A copy, laid out in memory as `before` and shown as `after`; each is (shape, strides)."""

    __slots__ = ("before", "after")

    @staticmethod
    def forward(ctx: Any, a: Any, before: tuple, after: tuple) -> Any:
        ctx.before, ctx.after = before, after
        memory = np.empty(a.size, a.dtype)
        np.lib.stride_tricks.as_strided(memory, *before)[...] = a
        return np.lib.stride_tricks.as_strided(memory, *after)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Relaid, grad_output, before=ctx.after, after=ctx.before)
