"""What a node keeps for its backward: saved tensors, each with the version it had.

An input is kept as the Tensor itself, so that a change in place shows in its version counter, and its graph is there
for a double backward. A result is kept as an alias outside the graph: the Tensor itself points at the node, and the
node at it would close a cycle.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from minigrad import leaf
from minigrad.compat import messages
from minigrad.runtime import nodes, state
from minigrad.tensor import Tensor, constant


class SavedTensor:
    """A tensor that a node keeps, and its version at that time.

    An input that has never been changed in place needs none: `node.saved` then holds the Tensor itself, whose version
    was 0.
    """

    __slots__ = ("tensor", "version", "index")

    def __init__(self, tensor: Tensor, index: int | None = None):
        self.tensor, self.version = tensor, leaf.version(tensor)
        self.index = index  # which result of the node it is; None for an input

    @property
    def _array(self) -> Any:
        return self.tensor._array

    @property
    def _counter(self) -> list[int] | None:
        return self.tensor._counter

    def again(self, node: Any) -> Tensor:
        """The tensor with its graph: an input itself, a result as the tensor that `node` made."""
        if self.index is None:
            return self.tensor
        result = constant(self.tensor._array)
        result._made_by, result._counter = node.place(self.index), self.tensor._counter
        return result


def of_input(tensor: Tensor) -> Tensor | SavedTensor:
    """What a node keeps of one of its inputs."""
    return SavedTensor(tensor) if tensor._counter and tensor._counter[0] else tensor


def of_result(tensor: Tensor, index: int = 0) -> SavedTensor:
    """What a node keeps of its own result number `index`: the memory and its version counter, without the graph."""
    alias = constant(tensor._array)
    alias._counter = leaf.counter(tensor)
    return SavedTensor(alias, index)


def keep(node: Any, inputs: tuple, values: Sequence[Any], result: Tensor) -> None:
    """Turn the arrays that `node` saved into the tensors they belong to: inputs, or the result.

    What is neither (an array that `forward` made on the way, a number) is kept as it is: nobody else can change it.
    """
    kept: list = []
    for value in node.saved:
        if value is not None:
            for given, owner in zip(values, inputs):  # noqa: B905  (one value for each input)
                if value is given:
                    value = of_input(owner) if isinstance(owner, Tensor) else owner
                    break
            else:
                if value is result._array:
                    value = of_result(result)
                elif isinstance(value, Tensor):  # no input of the graph, but guarded like one
                    value = of_input(value)
        kept.append(value)
    node.saved = tuple(kept)
    if state.packer is not None:
        state.packer(node)


def guard(result: Tensor, *tensors: Tensor | None) -> Tensor:
    """The result, whose node keeps these tensors as well: to change one in place before its backward is an error."""
    node = result._made_by
    if node is not None:
        node.saved = (*node.saved, *[each if each is None else of_input(each) for each in tensors])
    return result


def demand(node: Any) -> tuple:
    """What `node` saved. RuntimeError, in torch's words, if that is freed."""
    if node.saved is None:
        raise RuntimeError(messages.SECOND_TIME)
    return node.saved


def unpack(node: Any) -> tuple:
    """The saved values for `backward`: arrays; in a recorded pass Tensors, with their graph.

    RuntimeError once they are freed, or changed in place since. The only place that decides between the two.
    """
    kept, recorded = node.saved, leaf.recording
    if recorded:
        nodes.demand_inside_pass(node)
    if type(kept) is not tuple:
        packed: Any = demand(node)  # by a program's hooks
        return packed.opened(node)
    found: list = []
    changed = False  # whether there is a version to compare at all
    for each in kept:
        if each is not None:
            if type(each) is SavedTensor:
                each = each.tensor
            if type(each) is Tensor or isinstance(each, Tensor):
                counter = each._counter
                if counter is not None and counter[0]:
                    changed = True
                each = each._array
        found.append(each)
    if changed:
        leaf.check_versions(node)
    if detached:
        demand_attached(node)
    return tuple([again(each, node) for each in kept]) if recorded else tuple(found)


def again(kept: Any, node: Any) -> Any:
    """A saved value with its graph."""
    return kept.again(node) if isinstance(kept, SavedTensor) else kept


# --- tensors that leave the graph ----------------------------------------------------------------

detached: dict[int, tuple[weakref.ref, weakref.ref]] = {}  # by id: tensors that `detach_` cut, and what made them


def detach_(tensor: Tensor) -> Tensor:
    """Cut the tensor itself from the graph. RuntimeError for a view: its base would stay inside."""
    if tensor._view is not None:
        raise RuntimeError(messages.DETACH_VIEW)
    if tensor._made_by is not None:
        key = id(tensor)
        detached[key] = weakref.ref(tensor, lambda _: detached.pop(key, None)), weakref.ref(tensor._made_by)
    tensor._made_by, tensor._requires_grad = None, False
    return tensor


def demand_attached(node: Any) -> None:
    """RuntimeError, in torch's words, if `detach_` has cut a tensor from the graph since the node saved it."""
    for each in node.saved:
        saved = each.tensor if isinstance(each, SavedTensor) else each
        cut = detached.get(id(saved))
        if cut is not None and cut[0]() is saved:
            made_by = cut[1]()
            if made_by is not None and any(target is made_by for target in node.edges):
                raise RuntimeError(messages.DETACHED)
