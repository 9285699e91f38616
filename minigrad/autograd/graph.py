"""`torch.autograd.graph`: hooks for the values that nodes save.
Only while they are active, `state.packer` packs what a node has just saved; `PackedValues` unpacks it.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#module-torch.autograd.graph
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad import leaf
from minigrad.autograd import function
from minigrad.compat import checks, messages, unsupported
from minigrad.graph import state
from minigrad.graph.nodes import Node, Operation
from minigrad.recording import saved as saved_values
from minigrad.tensor import Tensor

__all__ = ["Node", "save_on_cpu", "saved_tensors_hooks"]
_pairs: list[tuple[Callable, Callable]] = []  # the last one is in use


class saved_tensors_hooks:
    """In the `with` block, nodes keep `pack_hook(tensor)` instead of each tensor that they save; a backward pass calls
    `unpack_hook` on it. TypeError if that gives no tensor, RuntimeError if `pack_hook` changes it. The last pair
    counts.
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        _pairs.append((self.pack_hook, self.unpack_hook))
        state.packer = pack

    def __exit__(self, *error: object) -> None:
        _pairs.pop()
        state.packer = pack if _pairs else None


class save_on_cpu(saved_tensors_hooks):
    """Keep saved values in CPU memory, where minigrad keeps everything: this changes nothing."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor.detach(), lambda tensor: tensor)


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


def pack(node: Operation) -> None:
    """Replace what a node saved by what the hook makes of it, in torch's order. RuntimeError if it changes that."""
    saved, (hook, unpack) = [*(node.saved or ())], _pairs[-1]
    for position in order(node, saved):
        value, index = saved[position], None
        if not hasattr(value, "_counter"):
            continue
        if isinstance(value, saved_values.SavedTensor):
            index, value = value.index, value.again(node)
        place = value._place() if index is None and value.requires_grad else None
        version = leaf.version(value)
        with leaf.no_grad():
            held = hook(value)
        if leaf.version(value) != version:
            raise RuntimeError(messages.PACK_HOOK)
        saved[position] = Packed(held, unpack, place, index)
    if any(isinstance(item, Packed) for item in saved):
        node.saved = PackedValues(saved)


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
    if isinstance(node, function.Node):
        return [*range(len(saved))]
    roles = checks.roles(node)
    return sorted(range(len(saved)), key=lambda position: (roles[position] == "result", roles[position]))


__getattr__ = unsupported.lacking(__name__)
