"""What a node keeps instead of a saved tensor: what a hook made of it, and how to get the tensor back.

`autograd.graph` says when: for all tensors in a block, or for one by `SavedTensor`.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#saved-tensors-hooks-doc
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad import leaf
from minigrad.compat import checks, messages
from minigrad.graph import state
from minigrad.graph.nodes import Operation
from minigrad.recording import saved as saved_values
from minigrad.tensor import Tensor


class Packed:
    """A saved value packed by `pack_hook`, and what is needed to recreate a Tensor at the same place in the graph."""

    def __init__(self, held: Any, unpack: Callable, place: Any, index: int | None):
        self.held, self.unpack = held, unpack
        self.place = place  # where its gradient arrives; None for a constant, and for a result
        self.index = index  # which result of the node; None for an input

    def again(self, node: Operation, recorded: bool = False) -> Tensor:
        """The Tensor; with `recorded`, for a recorded backward pass. TypeError if it is not a Tensor."""
        with leaf.no_grad():
            results = self.unpack(self.held)
        if not isinstance(results, Tensor):
            result = f"a Tensor but got result of type {type(results).__name__}"
            raise TypeError(f"Output of saved tensor unpack_hook expected to be {result}")
        again, place = Tensor._of(results._array), self.place
        if self.index is not None:
            place = node.place(self.index)
        if isinstance(place, Tensor) and not recorded:
            again._requires_grad = True
        elif isinstance(place, Tensor) and results._array is place._array:
            return place
        else:
            again._made_by = place
        return again


def packed(node: Operation, value: Any, hook: Callable, unpack: Callable) -> Packed:
    """What a hook makes of one saved value. RuntimeError if it changes that."""
    index = None
    if isinstance(value, saved_values.SavedTensor):
        index, value = value.index, value.again(node)
    place = value._place() if index is None and value.requires_grad else None
    version = leaf.version(value)
    with leaf.no_grad():
        held = hook(value)
    if leaf.version(value) != version:
        raise RuntimeError(messages.PACK_HOOK)
    return Packed(held, unpack, place, index)


class PackedValues(tuple):
    """The saved values of a node, some of them packed."""

    def opened(self, node: Operation, as_tensors: bool = False) -> tuple:
        """The saved values, unpacked: arrays, or Tensors for a recorded backward pass or on request."""
        values: list = [*self]
        recorded = leaf.recording and state.running
        for position in order(node, values):
            value = values[position]
            if isinstance(value, Packed):
                value = value.again(node, recorded)
            values[position] = value._array if isinstance(value, Tensor) and not (recorded or as_tensors) else value
        return tuple(values)


def order(node: Operation, saved: Sequence) -> list[int]:
    """The order in which torch saves: as the program listed them, or by name, with the result last."""
    if node.packs_in_order:
        return [*range(len(saved))]
    roles = checks.roles(node)
    return sorted(range(len(saved)), key=lambda position: (roles[position] == "result", roles[position]))


class SavedTensor:
    """One saved tensor of a node: `grad_fn._raw_saved_self`."""

    __module__ = "torch._C._autograd"

    def __init__(self, node: Operation, position: int):
        self._node, self._position = node, position

    def register_hooks(self, *pair: Callable) -> None:
        """Keep `pack_hook(tensor)` instead, from now on, and call `unpack_hook` on it in backward: the two arguments.
        RuntimeError if the node is freed, or the tensor has hooks; TypeError for anything but two functions.
        """
        if len(pair) != 2 or not all(callable(item) for item in pair):
            raise TypeError(f"{messages.HOOKS_PAIR}\n\nInvoked with: {', '.join(map(repr, (self, *pair)))}")
        kept = self._node.saved
        if kept is None:
            raise RuntimeError(messages.HOOKS_FREED)
        if isinstance(kept[self._position], Packed):
            raise RuntimeError(messages.HOOKS_SET)
        values = [*kept]
        if hasattr(values[self._position], "_counter"):  # else nothing is kept here
            hook, unpack = pair
            value = values[self._position]
            values[self._position] = packed(self._node, value, lambda t: hook(leaf.detach(t)), unpack)
            self._node.saved = PackedValues(values)
