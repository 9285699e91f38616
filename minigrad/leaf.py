"""Chapter 4: who keeps a gradient.

A leaf is a tensor that no recorded operation made: it has no `grad_fn`. Only a leaf that requires grad keeps the
gradient that reaches it, in `.grad`, and it *adds*: a second backward adds to the first, until you set `.grad` to None.
Other tensors keep theirs only if you call `retain_grad`. (Hooks, which watch gradients pass, are in `graph.hooks`.)

A leaf that requires grad cannot be changed in place: the graph would have no record of its old value. Other
tensors can, and every change is counted, because a node may have saved the old value for its backward. Changing a
view changes its base: the base becomes the result of `CopySlices`, which sends the gradient of overwritten entries
only to the new values. Under `no_grad` nothing is recorded, and a leaf may be changed.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from minigrad.compat import checks, messages
from minigrad.compat.context_decorator import Block
from minigrad.graph import array_ops, hooks, nodes, owning, state
from minigrad.tensor import Tensor, Value

recording = True  # whether operations make nodes


class no_grad(Block):
    """Record nothing in the block, or in the decorated function: results are leaves that need no gradient."""

    before = True

    def __enter__(self) -> None:
        global recording
        self.before, recording = recording, False

    def __exit__(self, *error: object) -> None:
        global recording
        recording = self.before


# --- gradients -----------------------------------------------------------------------------------


def is_leaf(tensor: Tensor) -> bool:
    """True unless a recorded operation made the tensor."""
    return tensor.grad_fn is None


def detach(tensor: Tensor) -> Tensor:
    """The same memory, outside the graph: a constant. Changes of either are counted for both."""
    alias = Tensor._of(tensor._memory().view())
    alias._counter = counter(tensor)
    return alias


def receive(tensor: Tensor, total: Value | None) -> None:
    """The end of the walk at a leaf: hooks see what arrived, then the leaf accumulates it if it should."""
    total = total if not tensor._grad_dtype or total is None else array_ops.cast(total, tensor._grad_dtype.numpy)
    if tensor._hooks is not None or state.watcher is not None:
        total, go_on = hooks.arrive(tensor, total)
        if not go_on:
            return
    if tensor._requires_grad and total is not None:  # the flag may have been switched off after the graph was made
        if tensor._grad is not None:
            checks.demand_room(tensor._grad, total, tensor._array)
        if isinstance(total, Tensor):
            grad = total
        else:  # a new one around it, as `array_ops.constant` makes it
            grad = object.__new__(Tensor)
            grad._array, grad._requires_grad = total, False
            grad._made_by = grad._view = grad._counter = grad._grad = grad._hooks = None
        accumulate(tensor, grad)
    if tensor._hooks is not None:
        hooks.received(tensor, total)


def accumulate(tensor: Tensor, grad: Tensor) -> None:
    """Add `grad`, of the leaf's shape, to what the leaf already keeps.

    The same `.grad` tensor is changed in place, so other names for it see the sum. Under `create_graph` the sum is a
    new tensor with its own graph. Otherwise the leaf takes over `grad` itself: nobody else holds it.
    """
    kept = tensor._grad
    if recording:
        tensor._grad = kept + grad if kept is not None else array_ops.recorded(grad, tensor._array)
    elif kept is None:
        if type(grad._array) is np.ndarray:  # numbers share no memory
            owning.own(grad, tensor._array)  # leaves may share an array
        tensor._grad = grad
    else:
        kept._array += grad._array
        counter(kept)[0] += 1


def retain_grad(tensor: Tensor) -> None:
    """Let a non-leaf keep its gradient in `.grad`, as a leaf does. RuntimeError for a constant."""
    if not tensor.requires_grad:
        raise RuntimeError(messages.RETAIN_CONSTANT)
    if not tensor.is_leaf:
        hooks.keep(tensor)


def free(node: nodes.Operation, retain_graph: bool) -> None:
    """After its backward, a node drops what it saved, so a second backward raises an error.

    A node that saved nothing has nothing to free, and works any number of times.
    """
    if node.saved and not retain_graph:
        node.saved = None


# --- changes in place ----------------------------------------------------------------------------


def change(tensor: Tensor, compute: Callable[[], Tensor]) -> Tensor:
    """Put the result of `compute()` into the memory of `tensor`, and make the tensor that result: `x += 1` does this.

    RuntimeError, before anything is computed, for a leaf that requires grad, unless nothing is recorded.
    """
    if recording and tensor._requires_grad and tensor._made_by is None and tensor._view is None:
        raise RuntimeError(messages.CHANGED_LEAF.format("a leaf Variable"))
    result = compute()
    write(tensor, result)
    count_change(tensor)
    take_over(tensor, result)
    return tensor


def write(tensor: Tensor, result: Tensor) -> None:
    """Copy the numbers of `result`, of the same shape, to the memory of `tensor`."""
    checks.write(tensor._memory(), result._array)


def take_over(tensor: Tensor, result: Tensor) -> None:
    """Make `tensor` the result of the node that made `result`, if one did. The memory has changed, and it counts."""
    if result._made_by is not None:
        _rebase(tensor, result._made_by)


Rebase: TypeAlias = Callable[[Tensor, Any], None]
_rebase: Rebase = lambda tensor, node: None  # noqa: E731


def set_rebase(function: Rebase) -> None:
    """Set what makes a tensor, or what it is a view of, the result of a node."""
    global _rebase
    _rebase = function


def counter(tensor: Tensor) -> list[int]:
    """How often the tensor's memory was changed in place: one number, shared by all tensors with that memory."""
    if tensor._counter is None:
        tensor._counter = [0]
    return tensor._counter


def count_change(tensor: Tensor) -> None:
    """Count one more change of the tensor's memory."""
    counter(tensor)[0] += 1


def version(value: object) -> int:
    """The current count of a tensor or saved tensor; 0 for anything else."""
    result = getattr(value, "_counter", None)
    return result[0] if result else 0


def expected_versions(node: nodes.Operation) -> tuple[int, ...]:
    """The counts at the time `node` saved its values, one for each of `node.saved`."""
    return tuple([0 if isinstance(item, Tensor) else getattr(item, "version", 0) for item in node.saved or ()])


def check_versions(node: nodes.Operation) -> None:
    """RuntimeError if a tensor that `node` saved has been changed in place since.

    >>> x = Tensor([1., 2.]).requires_grad_()
    >>> y = x.exp()  # saves its result
    >>> z = y.zero_()
    >>> y.sum().backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: ...
    """
    expected, now = expected_versions(node), tuple([version(item) for item in node.saved or ()])
    if now != expected:
        raise checks.changed_since(node, *[place for place, item in enumerate(now) if item != expected[place]])


def copy_slices(whole: Value, part: Value, inner: Callable) -> list:
    """Split the upstream gradient of a base after part of it changed: [to the base before, *to what was written].

    `whole` is a copy of that gradient, `part` the changed entries in it, sharing its memory. `inner(grad)` returns the
    shares of the change itself: the first for the old entries, the others for what was written.
    """
    old, *written = inner(array_ops.copy(part))
    part[...] = old
    return [whole, *written]
