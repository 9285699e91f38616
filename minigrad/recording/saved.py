"""What a node keeps for its backward: saved tensors, each with its version at the time.

An input is kept as the Tensor itself, with its version counter and its graph. A result is kept as an alias outside the
graph: the Tensor already points at the node, so a pointer back would close a cycle.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from minigrad import leaf
from minigrad.compat import inference, messages
from minigrad.graph import array_ops, nodes, state
from minigrad.tensor import Tensor


class SavedTensor:
    """A tensor that a node keeps, and its version at that time. An input of version 0 is kept without this object."""

    __slots__ = ("given", "array", "version", "index", "_counter")

    def __init__(self, given: Tensor | None, array: Any, counter: list[int], index: int | None = None):
        self.given, self.array, self.version, self._counter = given, array, counter[0], counter
        self.index = index  # which result of the node it is; None for an input

    @property
    def tensor(self) -> Tensor:
        """The input itself, or an alias of the result outside the graph."""
        if self.given is not None:
            return self.given
        alias = array_ops.constant(self.array)
        alias._counter = self._counter
        return alias

    def again(self, node: nodes.Operation) -> Tensor:
        """The tensor with its graph: the input itself, or the result as made by `node`."""
        result = self.tensor
        if self.index is not None:
            result._made_by = node.place(self.index)
        return result


def of_input(tensor: Tensor) -> Tensor | SavedTensor:
    """What a node keeps of one of its inputs."""
    counter = tensor._counter
    if type(counter) is inference.Uncounted:
        raise RuntimeError(messages.INFERENCE_SAVED)
    return SavedTensor(tensor, None, counter) if counter and counter[0] else tensor


def of_result(tensor: Tensor, index: int = 0) -> SavedTensor:
    """What a node keeps of its own result `index`: the memory and its version counter, without the graph."""
    return SavedTensor(None, tensor._array, leaf.counter(tensor), index)


def fill(node: nodes.Operation, inputs: tuple, values: Sequence, result: Tensor) -> None:
    """Turn the arrays that `node` saved into the tensors they belong to: inputs, or the result; others stay arrays."""
    kept: list = []
    for value in node.saved or ():
        if value is not None:
            for given, owner in zip(values, inputs):  # noqa: B905  (one value for each input)
                if value is given:
                    changed = isinstance(owner, Tensor) and owner._counter and owner._counter[0]
                    value = of_input(owner) if changed else owner
                    break
            else:
                if value is result._array:
                    value = of_result(result)
                elif isinstance(value, Tensor):  # not an input in the graph, but guarded like one
                    value = of_input(value)
        kept.append(value)
    node.saved = tuple(kept)
    if state.packer is not None:
        state.packer(node)


def guard(result: Tensor, *tensors: Tensor | None) -> Tensor:
    """The result, whose node now keeps these tensors as well: changing one before its backward is an error."""
    node = result._made_by
    if node is not None:
        node.saved = (*node.saved, *[tensor if tensor is None else of_input(tensor) for tensor in tensors])
    return result


def demand(node: nodes.Operation) -> tuple:
    """What `node` saved. RuntimeError, in torch's words, if it has been freed."""
    if node.saved is None:
        raise RuntimeError(messages.SECOND_TIME)
    return node.saved


def unpack(node: nodes.Operation) -> tuple:
    """The saved values for `backward`: arrays, or, in a recorded pass, Tensors with their graph. RuntimeError once they
    are freed, or changed in place since.
    """
    kept = node.saved
    if leaf.recording or type(kept) is not tuple:
        return _unpack_rarely(node)
    results: list = []
    changed: Any = False  # whether there is any version to compare
    for each in kept:
        if each is not None:
            if type(each) is SavedTensor:
                changed = changed or each._counter[0]
                each = each.array if each.given is None else each.given._array
            elif isinstance(each, Tensor):
                changed = changed or (each._counter and each._counter[0])
                each = each._array
        results.append(each)
    if changed:
        leaf.check_versions(node)
    if detached.data:  # its own length is a call
        demand_attached(node)
    return tuple(results)


def _unpack_rarely(node: nodes.Operation) -> tuple:
    if leaf.recording:
        nodes.demand_inside_pass(node)
    kept: Any = demand(node)
    if type(kept) is not tuple:  # by a program's hooks
        return kept.opened(node)
    leaf.check_versions(node)
    demand_attached(node)
    return tuple([again(item, node) for item in kept])


def again(kept: object, node: nodes.Operation) -> object:
    """A saved value with its graph."""
    return kept.again(node) if isinstance(kept, SavedTensor) else kept


detached: Any = weakref.WeakKeyDictionary()  # tensors cut off by `detach_`, keyed by what made them


def detach_(tensor: Tensor) -> Tensor:
    """Cut the tensor itself from the graph, which makes it a leaf. RuntimeError for a view."""
    if tensor._view is not None:
        raise RuntimeError(messages.DETACH_VIEW)
    if tensor._made_by is not None:
        detached[tensor._made_by] = weakref.ref(tensor)
    tensor._made_by, tensor._requires_grad = None, False
    return tensor


def demand_attached(node: nodes.Operation) -> None:
    """RuntimeError, in torch's words, if `detach_` has cut a tensor from the graph since the node saved it."""
    kept = [getattr(item, "tensor", item) for item in node.saved or () if item is not None]
    for target in node.edges:
        cut = None if target is None or isinstance(target, Tensor) else detached.get(target)
        if cut is not None and any(item is cut() for item in kept):
            raise RuntimeError(messages.DETACHED)
