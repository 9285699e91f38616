"""Hooks for what nodes save: `saved_tensors_hooks` for all of them, `SavedTensor.register_hooks` for a single one.

Nothing of it is in the engine's way. While hooks for saved tensors are active, and only then, `state.packer` packs what
a node has just saved; `PackedValues` unpacks it.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#saved-tensors-hooks-default
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.autograd import application
from minigrad.compat import checks
from minigrad.runtime import saved as saved_values
from minigrad.runtime import state
from minigrad.tensor import Tensor

_pairs: list[tuple[Callable, Callable]] = []  # the last one is in use
_refusal: str | None = None  # why there may be none


class saved_tensors_hooks:
    """In the `with` block, nodes keep `pack_hook(tensor)` in place of each tensor that they save.

    When a backward pass needs the tensor, it is `unpack_hook` of that. TypeError if that is no tensor, RuntimeError if
    `pack_hook` changes the tensor in place. The innermost pair of hooks is the one in use.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> with saved_tensors_hooks(lambda t: t.tolist(), lambda numbers: torch.tensor(numbers)):
    ...     y = x.exp()
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 7.3891])
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if not callable(self.pack_hook) or not callable(self.unpack_hook):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
                f"Invoked with: {self.pack_hook!r}, {self.unpack_hook!r}"
            )
        if _refusal is not None:
            raise RuntimeError(_refusal)
        _pairs.append((self.pack_hook, self.unpack_hook))
        if len(_pairs) == 1:
            _take_over()

    def __exit__(self, *error: object) -> None:
        _pairs.pop()
        if not _pairs:
            _give_back()


class save_on_cpu(saved_tensors_hooks):
    """Keeps what is saved in the memory of the CPU, where minigrad has everything: it changes nothing.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> with save_on_cpu():
    ...     y = x * x
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor.detach(), lambda tensor: tensor)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """In the block, hooks for saved tensors are a RuntimeError with this message.

    >>> with disable_saved_tensors_hooks("not here"):
    ...     with save_on_cpu():
    ...         pass
    Traceback (most recent call last):
    RuntimeError: not here
    """
    global _refusal
    if _pairs:
        raise RuntimeError(error_message)
    before, _refusal = _refusal, error_message
    try:
        yield
    finally:
        _refusal = before


def _take_over() -> None:
    """Let nodes hand over what they save, to be packed."""
    state.packer = pack


def _give_back() -> None:
    state.packer = None


class Packed:
    """A saved value as `pack_hook` gave it, and what it takes to make a Tensor at the same place of the graph again."""

    __slots__ = ("held", "index", "place", "unpack")

    def __init__(self, held: Any, unpack: Callable, place: Any, index: int | None):
        self.held, self.unpack = held, unpack
        self.place = place  # where its gradient arrives; None for a constant, and for a result
        self.index = index  # which result of the node; None for an input

    def again(self, node: Any, recorded: bool = False) -> Tensor:
        """The Tensor; with `recorded`, for a backward pass that is recorded. TypeError if it is none."""
        with leaf.no_grad():
            found = self.unpack(self.held)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        again, place = Tensor._of(found._array), self.place
        if self.index is not None:
            place = node.place(self.index)
        if isinstance(place, Tensor) and not recorded:
            again._requires_grad = True
        elif isinstance(place, Tensor) and found._array is place._array:
            return place
        else:
            again._made_by = place
        return again


def pack(node: Any) -> None:
    """Put what the hook makes of them in the place of the tensors that a node has saved, in torch's order."""
    saved = list(node.saved)
    if not any(hasattr(each, "_counter") for each in saved):
        return
    hook, unpack = _pairs[-1]
    for position in order(node, saved):
        if hasattr(saved[position], "_counter"):
            saved[position] = packed(node, saved[position], hook, unpack)
    node.saved = PackedValues(saved)


def packed(node: Any, value: Any, hook: Callable, unpack: Callable, detached: bool = False) -> Packed:
    """What the hook makes of one saved value. RuntimeError if it changes it in place."""
    index = None
    if isinstance(value, saved_values.SavedTensor):
        index, value = value.index, value.again(node)
    place = value._place() if index is None and value.requires_grad else None
    version = leaf.version(value)
    with leaf.no_grad():
        held = hook(value.detach() if detached else value)
    if leaf.version(value) != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    return Packed(held, unpack, place, index)


class PackedValues(tuple):
    """The saved values of a node, packed ones among them."""

    def opened(self, node: Any, as_tensors: bool = False) -> tuple:
        """What was saved, unpacked: arrays, or Tensors for a backward pass that is recorded, or if asked for."""
        values: list = [*self]
        recorded = leaf.recording and state.running
        for position in order(node, values):
            value = values[position]
            if isinstance(value, Packed):
                value = value.again(node, recorded)
            elif isinstance(value, (Tensor, saved_values.SavedTensor)):  # hooks were registered for another one alone
                leaf.check_versions(node)
                value = saved_values.again(value, node)
            values[position] = value._array if isinstance(value, Tensor) and not (recorded or as_tensors) else value
        return tuple(values)


class SavedTensor:
    """`grad_fn._raw_saved_self`: one saved value of a node, for which a program may register hooks."""

    __module__ = "torch._C._autograd"

    def __init__(self, node: Any, name: str):
        self.node, self.name = node, name

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Keep `pack_hook(value)`, and use `unpack_hook` of it. RuntimeError for None, a freed value, a second pair."""
        node = self.node
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, "
                f"arg1: collections.abc.Callable) -> None\n\nInvoked with: {self!r}, {pack_hook!r}, {unpack_hook!r}"
            )
        if node.saved is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "to backward through the graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        saved, roles = [*node.saved], checks.roles(node)
        place = roles.index(self.name) if self.name in roles else None
        if place is None or saved[place] is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        value = saved[place]
        if isinstance(value, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        leaf.check_versions(node)
        value = value if hasattr(value, "_counter") else Tensor._of(np.asarray(value))
        saved[place] = packed(node, value, pack_hook, unpack_hook, detached=True)
        node.saved = PackedValues(saved)

    @property
    def data(self) -> Any:
        """The value itself."""
        return getattr(self.node, f"_saved_{self.name}")


def order(node: Any, saved: Sequence) -> list[int]:
    """In which order torch saves: as the program named them, or by their names, the result last."""
    if isinstance(node, application.Node):
        return [*range(len(saved))]
    roles = checks.roles(node)
    return sorted(range(len(saved)), key=lambda position: (roles[position] == "result", roles[position]))
