"""`torch.autograd.graph`: hooks for the values that nodes save.
Only while they are active, `state.packer` packs what a node has just saved; `packing.PackedValues` unpacks it.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#module-torch.autograd.graph
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minigrad import leaf, scalar
from minigrad.autograd import function
from minigrad.compat import inference, messages, unsupported
from minigrad.graph import hooks, state
from minigrad.graph.nodes import GradientEdge, Node, Operation, seen
from minigrad.recording import modes, packing
from minigrad.tensor import Tensor

__all__ = ["GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks"]
__all__ += ["get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks"]
GradientEdge.__module__ = "torch.autograd.graph"
_disabled: list[str] = []  # why hooks for saved tensors are forbidden, the innermost block last
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
        if _disabled:
            raise RuntimeError(_disabled[-1])
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


def pack(node: Operation) -> None:
    """Replace what a node saved by what the hook makes of it, in torch's order. RuntimeError if it changes that."""
    saved = [*(node.saved or ())]
    for position in packing.order(node, saved):
        if hasattr(saved[position], "_counter"):
            saved[position] = packing.packed(node, saved[position], *_pairs[-1])
    if any(isinstance(item, packing.Packed) for item in saved):
        node.saved = packing.PackedValues(saved)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """In the `with` block, hooks for saved tensors are a RuntimeError with this message."""
    if _pairs:
        raise RuntimeError(error_message)
    _disabled.append(error_message)
    try:
        yield
    finally:
        _disabled.pop()


# --- places in the graph --------------------------------------------------------------------------


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives. RuntimeError for a tensor that requires none."""
    if not tensor.requires_grad:
        cannot = "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        raise RuntimeError(cannot)
    node, output_nr = seen(tensor._place())
    if not isinstance(node, function.Context):
        return GradientEdge(node, output_nr)
    with modes.enable_grad():  # as in torch: a program's Function does not keep the graph alive
        return GradientEdge(node, output_nr, tensor.view_as(tensor).grad_fn)


class _MultiHandle(hooks.RemovableHandle):
    """Removes several hooks at once."""

    def __init__(self, handles: Iterable[hooks.RemovableHandle]):
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Remove all the hooks."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> hooks.RemovableHandle:
    """Call `fn` once in a backward pass that reaches some of the tensors: with a list of their gradients when all are
    there (None for a tensor that the pass does not reach), or in mode "any" with the first gradient alone. ValueError
    for another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = [*tensors]
    now: dict[str, Any] = {"pass": None}  # the pass that is running, and what it has brought so far

    def begins() -> bool:
        """Whether this is the first gradient of a pass."""
        first = now["pass"] is not state.root
        now["pass"] = state.root
        return first

    def one_of(index: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            if begins():
                now.update(grads=[None] * len(tensors), left=_reached([item._place() for item in tensors]))
            now["grads"][index] = grad
            now["left"] -= 1
            if not now["left"]:
                grads, now["pass"] = now["grads"], None
                fn(grads)

        return hook

    def first_of(grad: Tensor) -> None:
        if begins():
            fn(grad)

    if mode == "all":
        for item in tensors:
            if not item.requires_grad:
                raise AssertionError("Expected gradient function to be set")
        return _MultiHandle([item.register_hook(one_of(index)) for index, item in enumerate(tensors)])
    return _MultiHandle([item.register_hook(first_of) for item in tensors if item.requires_grad])


def _reached(places: list) -> int:
    """How many of the places the running pass reaches."""
    way = {*scalar.topological_order(state.root.root)}
    if state.watcher is not None:
        way &= state.watcher.on_the_way
        if not state.watcher.keeps and any(isinstance(place, Tensor) for place in places):
            running = "we are currently running autograd.grad(). This is currently not supported."
            raise RuntimeError(f"A leaf node was passed to _will_engine_execute_node but {running}")
    return sum([place in way for place in places])


# --- versions -------------------------------------------------------------------------------------


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a change of the tensor's memory that nobody else has counted; of several tensors for a sequence."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for item in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(item, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not inference.is_inference(item):
            leaf.count_change(item)


class _Kept:
    """A tensor that a node has saved: itself, or a copy once its memory has changed."""

    def __init__(self, tensor: Tensor):
        self.tensor: Tensor | None = tensor
        self.memory: Any = leaf.counter(tensor)  # shared by all tensors on this memory


class _Mutation:
    """What `allow_mutation_on_saved_tensors` gives: the saved tensors of its block."""

    def __init__(self) -> None:
        self.kept: weakref.WeakSet[_Kept] = weakref.WeakSet()

    def pack(self, tensor: Tensor) -> _Kept:
        """Keep a tensor that a node saves."""
        result = _Kept(tensor)
        self.kept.add(result)
        return result

    def unpack(self, kept: _Kept) -> Tensor:
        """The saved tensor as it was. AssertionError outside the block."""
        if kept.tensor is None:
            raise AssertionError(messages.MUTATION_OUTSIDE)
        return kept.tensor

    def before_change(self, tensor: Tensor, given: list, operation: object) -> None:
        """Copy what was saved of a tensor's memory, before it changes."""
        for item in [*self.kept]:
            if item.tensor is not None and item.memory is leaf.counter(tensor):
                item.tensor, item.memory = item.tensor.detach().clone(), None

    def clear(self) -> None:
        """Forget all saved tensors."""
        for item in [*self.kept]:
            item.tensor = None
        self.kept.clear()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Mutation]:
    """In the `with` block, changing a saved tensor in place copies it before, so that backward, which has to run in the
    block, works. RuntimeError inside another such block.
    """
    if state.before_change is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    mutation = _Mutation()
    state.before_change = mutation.before_change
    try:
        with saved_tensors_hooks(mutation.pack, mutation.unpack):
            yield mutation
    finally:
        mutation.clear()
        state.before_change = None


__getattr__ = unsupported.lacking(__name__)
