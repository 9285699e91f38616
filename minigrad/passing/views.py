"""Views: tensors that share another one's memory and version counter.

A view remembers its base and the steps that produced it. If the memory has been changed in place since, the view is
recreated from its base as it is now.

Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, inference
from minigrad.graph import array_ops, freeing, hooks, nodes, state
from minigrad.recording import modes, record, saved
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class Sharing:
    """How a tensor shares another one's memory: the base, the view above it, and the step that leads from there.

    A step is a pair (view operation, its settings). A tensor that is its base in another form has none.
    """

    def __init__(
        self,
        base: Tensor,
        above: Tensor,
        earlier: Sharing | None,
        step: tuple | None,
        origin: str,
        seen: int | None = None,
    ):
        self.base, self.above, self.earlier, self.step = base, above, earlier, step
        if earlier is None:
            self.depth = 1
            array = base._memory()
            self.layout: tuple = array.shape, array.strides  # the base's, for the steps
        else:
            self.depth, self.layout = earlier.depth + 1, earlier.layout
            if self.depth & freeing.WINDOW == self.depth:
                freeing.free_in_loop(self)
        self.origin = origin  # why a change in place cannot be recorded: a key of `messages.ORIGINS`, or ""
        self.seen = leaf.version(base) if seen is None else seen  # the version at which the view's source was right

    def source(self, tensor: Tensor) -> Any:
        """The node that made the view `tensor`; if its memory changed since, a new node that recreates it."""
        now = leaf.version(tensor)
        if self.seen == now:
            return tensor._made_by
        base = self.base
        target = base._made_by or (base if base._requires_grad else None)
        if target is not None or tensor._made_by is not None:  # a base without a gradient: the walk ends there
            if self.origin:
                raise RuntimeError(checks.refusal(tensor, "its base or another view of its base has been"))
            node: Any = object.__new__(AsStrided.node)
            adopt(node, (target,), tensor._array)
            node.steps, node.axes = self.steps(), array_ops.axes_in_memory(base._array)
            hooks.move_keepers(tensor, tensor._made_by, node)
            tensor._made_by = node
        self.seen = now
        return tensor._made_by

    def steps(self) -> tuple:
        """The steps from the base, in their order. RuntimeError if its shape or memory layout has changed since."""
        array = self.base._array
        if (array.shape, array.strides) != self.layout:
            raise RuntimeError("minigrad cannot follow a view whose base has changed its shape; take the view again")
        results: list = []
        sharing: Sharing | None = self
        while sharing is not None:
            results.append(sharing.step)
            sharing = sharing.earlier
        return tuple([item for item in reversed(results) if item is not None])


class ViewFunction(Function):
    """An operation whose result is not new memory: it presents its input's memory in another form."""

    @classmethod
    def apply(cls, a: Tensor, **settings: object) -> Tensor:
        if state.batched is not None and (entry := state.batched(cls, (a,), settings)) is not None:
            return entry
        array = a._array if type(a._array) is np.ndarray else a._memory()
        if nodes.prepare is None:
            view = super().apply(a, **settings)
        else:  # the same for one input, without what only arithmetic needs
            node, edge = cls.node(), record.edge(a)
            node.saved = ()
            node.needs_input_grad = (edge is not None,)
            view = array_ops.constant(cls.forward(node, array, **settings))
            if edge is not None:
                node.edges = (edge,)
                if view._array.dtype.kind == "f":
                    record.take_place(node, view._array.shape, view._array.dtype)
                    view._made_by = node
                if node.saved:
                    saved.fill(node, (a,), (array,), view)
        note_view(view, a, cls, settings)
        return view


def note_view(view: Tensor, tensor: Tensor, operation: type[Function], settings: dict, origin: str = "") -> None:
    """Record that `view` shares the memory of `tensor` and its version counter."""
    counter = tensor._counter
    if counter is None:
        counter = leaf.counter(tensor)
    view._counter = counter
    above = tensor._view
    base, inherited = (tensor, "") if above is None else (above.base, above.origin)
    if not (origin or inherited or leaf.recording):
        origin = "no_grad" if inference.counter is None else "inference_mode"
    view._view = Sharing(base, tensor, above, (operation, settings), origin or inherited, counter[0])


def cut(value: Value, steps: tuple) -> Any:
    """The part of an array or Tensor at the end of the steps, sharing its memory."""
    for operation, settings in steps:
        value = array_ops.call(operation, value, **settings)
    return value


def adopt(node: nodes.Operation, edges: tuple, like: np.ndarray) -> None:
    """Fill in a node created by hand, for a result with the shape and dtype of `like`."""
    node.edges, node.saved = edges, ()
    node.needs_input_grad = tuple([target is not None for target in edges])
    record.take_place(node, like.shape, like.dtype)


class AsStrided(Function):
    """A view after its memory was changed: recreated from its base as it is now. Its vjp runs the steps' vjps in
    reverse order, found by applying the steps to a placeholder for the base.
    """

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        if ctx.edges[0] is None:
            return None
        base = ctx.edges[0]._array if isinstance(ctx.edges[0], Tensor) else ctx.edges[0]
        stand_in = Tensor._of(array_ops.laid_out(np.zeros(base.shape, base.dtype), ctx.axes), requires_grad=True)
        with modes.enable_grad():
            node = cut(stand_in, ctx.steps)._made_by
        while node is not stand_in:
            (grad_output,), (node,) = node.vjp(grad_output), node.edges
        return grad_output
