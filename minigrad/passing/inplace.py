"""Changes in place: `x.mul_(y)`, `x += 1`, `x[0] = 5`, and how each becomes part of the graph.

A change computes the result as usual, writes it to the memory, increments the version counter, and makes the tensor
the result of that node: `leaf.change` does these, with what it needs from here. If the tensor is a view, its base
becomes the result of `CopySlices`.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, messages
from minigrad.graph import array_ops, hooks, nodes, state
from minigrad.graph.multi_output import Output
from minigrad.passing import views
from minigrad.recording import saved
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


def change(tensor: Tensor, operation: Callable, *inputs: object, **settings: object) -> Tensor:
    """Write the result of `operation` on the tensor to its memory, and record that. `x.mul_(y)` does this with Mul.
    RuntimeError if a leaf that requires grad would change, or if the result's shape or dtype does not fit.
    """
    if state.before_change is not None:
        state.before_change(tensor, [item for item in inputs if isinstance(item, Tensor)], operation)
    return leaf.change(tensor, functools.partial(computed, tensor, operation, inputs, settings))


def computed(tensor: Tensor, operation: Callable, inputs: tuple, settings: dict) -> Tensor:
    """The result of `operation` on a tensor that is about to change: what its node saves of it keeps the old value."""
    overlaps, reads_first = getattr(operation, "overlaps", False), getattr(operation, "reads_first", False)
    given = [item for item in inputs if isinstance(item, Tensor)]
    _demand_writable(tensor, given, overlaps, reads_first, is_leaf_known=tensor._view is None)
    memory = tensor._memory()
    old = tensor
    if leaf.recording:
        old = Tensor._of(memory.view() if state.packer is None else memory.copy())  # the tensor before the change
        old._made_by, old._requires_grad = tensor._source(), tensor._requires_grad
    result = operation(old, *inputs, **settings)
    if result._array.shape != memory.shape:
        raise RuntimeError(messages.CHANGED_SHAPE.format(list(memory.shape), list(result._array.shape)))
    if result._array.dtype is not memory.dtype and result.dtype.kind > tensor.dtype.kind:
        raise RuntimeError(messages.CHANGED_DTYPE.format(result.dtype.scalar_type, tensor.dtype.scalar_type))
    node = result._made_by
    if node is not None and any(item is old for item in node.saved):
        old._array = memory.copy()
    return result


def take_over(tensor: Tensor, node: Any) -> None:
    """Make the tensor the result of `node`, also in what the node saved of its result."""
    if any(map(checks.is_result, node.saved)):
        node.saved = tuple([saved.of_result(tensor) if checks.is_result(item) else item for item in node.saved])
    rebase(tensor, node)


leaf.set_rebase(take_over)


def rebase(tensor: Tensor, node: nodes.Operation | Output) -> None:
    """Make the tensor the result of `node`; if it is a view, make its base the result of CopySlices."""
    if tensor._view is None:
        hooks.move_keepers(tensor, tensor._made_by, node)
        tensor._made_by = node
        return
    base = tensor._view.base
    slices: Any = object.__new__(CopySlices.node)
    views.adopt(slices, (base._source(), *node.edges[1:]), base._array)
    slices.inner, slices.steps, slices.axes = node, tensor._view.steps(), array_ops.axes_in_memory(base._array)
    slices.saved = (node,)  # so that it is freed like a node that has saved something
    hooks.move_keepers(base, base._made_by, slices)
    base._made_by = slices


def demand_changeable(tensor: Tensor, *inputs: object, overlaps: bool = False, reads_first: bool = False) -> None:
    """RuntimeError, in torch's words, if the tensor cannot be changed in place. With `overlaps`, several of its entries
    may share a place in memory; with `reads_first`, inputs may overlap it.
    """
    given = [value for value in inputs if isinstance(value, Tensor)]
    if state.before_change is not None:
        state.before_change(tensor, given, None)
    _demand_writable(tensor, given, overlaps, reads_first)


def _demand_writable(
    tensor: Tensor, given: list[Tensor], overlaps: bool, reads_first: bool, is_leaf_known: bool = False
) -> None:
    """The same, without asking whoever looks at changes; `is_leaf_known`: somebody has seen that it is no leaf."""
    if leaf.recording and (tensor.requires_grad or any(item.requires_grad for item in given)):
        if tensor._view and tensor._view.origin:
            raise RuntimeError(checks.refusal(tensor, "is being"))
        above: Tensor | None = None if is_leaf_known else tensor
        while above is not None:
            if above._requires_grad and above._made_by is None:
                subject = "a leaf Variable" if tensor._view is None else "a view of a leaf Variable"
                raise RuntimeError(messages.CHANGED_LEAF.format(subject))
            above = above._view and above._view.above
    array = tensor._memory()
    if not overlaps and checks.expanded(array):
        raise RuntimeError(messages.SHARED_MEMORY.format("more than one element of the written-to tensor refers"))
    for item in given if not reads_first else ():
        checks.demand_apart(array, item._memory())


class Overlapping(functools.partial):
    """An operation that may change, in place, a tensor with several entries in one place of memory."""

    overlaps = True


class ReadingFirst(functools.partial):
    """An operation that reads all its input before it writes, so input and output may share memory."""

    reads_first = True


class CopySlices(Function, name="CopySlices"):
    """A base after the node `inner` changed one of its views; the gradient of that part goes through `inner`."""

    saves = ()
    inner: Function
    steps: tuple  # from the base to the part
    axes: tuple[int, ...] | None  # of the base's memory

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        saved.demand(self)
        whole = array_ops.laid_out(grad_output, self.axes)

        def inner(grad: Value) -> list:
            old, *written = self.inner.vjp(grad, retain_graph)
            return [0 if old is None else old, *written]

        base, *written = leaf.copy_slices(whole, views.cut(whole, self.steps), inner)
        leaf.free(self, retain_graph)
        return [base if self.edges[0] is not None else None, *written]


class Copy(Function, name="CopyBackwards"):
    """`x.copy_(y)`: the result is y, and nothing of x remains."""

    promotes = False

    forward = staticmethod(lambda ctx, old, value: np.array(np.broadcast_to(value, old.shape), old.dtype))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.zeros(ctx.shape, ctx.dtype, grad_output) if ctx.needs_input_grad[0] else None, grad_output
