"""Changes in place: `x.mul_(y)`, `x += 1`, `x[0] = 5`, and how each becomes part of the graph.

A change computes the result as usual, writes it into the memory, counts it in the version counter, and makes the
tensor the result of that node. A change of a view is a change of its base: the base becomes the result of
`CopySlices`, which sends the gradient of what was overwritten to the new values only (`leaf.copy_slices`).

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, messages
from minigrad.runtime import array_ops, hooks, saved, state, views
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def change(tensor: Tensor, operation: Callable, *inputs: Any, **settings: Any) -> Tensor:
    """Write what `operation` makes of the tensor into its memory, and record that. `x.mul_(y)` is this with Mul.

    RuntimeError where a leaf that requires grad would change, or where shape or dtype of the result do not fit.
    """
    overlaps, reads_first = getattr(operation, "overlaps", False), getattr(operation, "reads_first", False)
    demand_changeable(tensor, *inputs, overlaps=overlaps, reads_first=reads_first)
    memory = tensor._memory()
    old = tensor
    if leaf.recording:
        old = Tensor._of(memory.view() if state.packer is None else memory.copy())  # the tensor as it was before
        old._made_by, old._requires_grad = tensor._source(), tensor._requires_grad
    result = operation(old, *inputs, **settings)
    if result._array.shape != memory.shape:
        raise RuntimeError(messages.CHANGED_SHAPE.format(list(memory.shape), list(result._array.shape)))
    if result._array.dtype is not memory.dtype and result.dtype.kind > tensor.dtype.kind:
        raise RuntimeError(messages.CHANGED_DTYPE.format(result.dtype.scalar_type, tensor.dtype.scalar_type))
    node = result._made_by
    if node is not None and any(each is old for each in node.saved):
        old._array = memory.copy()  # the node keeps the value from before
    checks.write(memory, result._array)
    leaf.counter(tensor)[0] += 1
    if node is not None:
        if any(getattr(each, "index", None) is not None for each in node.saved):  # its result is now this tensor
            of_result = [getattr(each, "index", None) is not None for each in node.saved]
            kept = zip(of_result, node.saved, strict=True)
            node.saved = tuple([saved.of_result(tensor) if of else each for of, each in kept])
        rebase(tensor, node)
    return tensor


def rebase(tensor: Tensor, node: Any) -> None:
    """The tensor is now the result of `node`; if it is a view, its base is the result of CopySlices."""
    if tensor._view is None:
        hooks.move_keepers(tensor, tensor._made_by, node)
        tensor._made_by = node
        return
    base = tensor._view.base
    slices: Any = object.__new__(CopySlices.node)
    views.adopt(slices, (base._source(), *node.edges[1:]), base._array)
    slices.inner, slices.steps, slices.axes = node, tensor._view.path(), array_ops.axes_in_memory(base._array)
    slices.saved = (node,)  # so that it is freed, as a node that has saved something
    hooks.move_keepers(base, base._made_by, slices)
    base._made_by = slices


def demand_changeable(tensor: Tensor, *inputs: Any, overlaps: bool = False, reads_first: bool = False) -> None:
    """RuntimeError, in torch's words, where the tensor cannot be changed in place.

    With `overlaps`, several of its entries may lie in one place of memory; with `reads_first`, inputs may lie there.
    """
    given = [each for each in inputs if isinstance(each, Tensor)]
    if leaf.recording and (tensor.requires_grad or any(each.requires_grad for each in given)):
        if tensor._view and tensor._view.origin:
            raise RuntimeError(checks.refusal(tensor, "is being"))
        above: Any = tensor
        while above is not None:
            if above._requires_grad and above._made_by is None:
                subject = "a leaf Variable" if tensor._view is None else "a view of a leaf Variable"
                raise RuntimeError(messages.CHANGED_LEAF.format(subject))
            above = above._view and above._view.above
    array = tensor._memory()
    if not overlaps and checks.expanded(array):
        raise RuntimeError(messages.SHARED_MEMORY.format("more than one element of the written-to tensor refers"))
    for each in given if not reads_first else ():
        checks.demand_apart(array, each._memory())


class Overlapping:
    """An operation that may change, in place, a tensor of which several entries lie in one place of memory."""

    overlaps, reads_first = True, False

    def __init__(self, operation: Any):
        self.operation = operation

    def __call__(self, *inputs: Any, **settings: Any) -> Tensor:
        return self.operation(*inputs, **settings)


class ReadingFirst(Overlapping):
    """An operation that has read its input when it begins to write, and so may take it from the same memory."""

    overlaps, reads_first = False, True


class CopySlices(Function, name="CopySlices"):
    """A base after one of its views was changed by the node `inner`.

    The upstream gradient of the changed part goes through `inner`; the rest passes on to the old base unchanged.
    """

    __slots__ = ("inner", "steps", "axes")
    inner: Function
    steps: tuple  # from the base to the part
    axes: tuple[int, ...] | None  # of the base's memory

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        saved.demand(self)
        whole = array_ops.laid_out(grad_output, self.axes)

        def inner(grad: Any) -> list:
            old, *written = self.inner.vjp(grad, retain_graph)
            return [0 if old is None else old, *written]

        base, *written = leaf.copy_slices(whole, views.cut(whole, self.steps), inner)
        leaf.free(self, retain_graph)
        return [base if self.edges[0] is not None else None, *written]

    def name(self) -> str:
        return "torch::autograd::CopySlices"


class Copy(Function, name="CopyBackwards"):
    """What `x.copy_(y)` makes of x: y, and nothing of x."""

    __slots__ = ()
    promotes = False

    @staticmethod
    def forward(ctx: Any, old: Any, value: Any) -> Any:
        return np.array(np.broadcast_to(value, old.shape), old.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.zeros(ctx.shape, ctx.dtype, grad_output) if ctx.needs_input_grad[0] else None, grad_output

    def name(self) -> str:
        return "torch::autograd::CopyBackwards"
