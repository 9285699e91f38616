"""Seeing a gradient pass: hooks, retained gradients, and passes for chosen tensors only.

A hook is called when the gradient of its tensor is complete, that is when the walk visits the place where it
arrives: the leaf itself, or the node that made the tensor. Hooks come first, in the order of their registration, then
the tensors that retain the gradient. `autograd.grad` and `backward(inputs=…)` read or keep it at the same places.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from minigrad import leaf, scalar, words
from minigrad.tensor import Tensor


class Hooks:
    """What wants to know of the gradient that arrives at one place of the graph."""

    __slots__ = ("before", "keepers", "after", "results")

    def __init__(self) -> None:
        self.before: dict[int, Callable] = {}  # called with the gradient; may return another
        self.keepers: list[weakref.ref[Tensor]] = []  # non-leaf tensors that keep it
        self.after: dict[int, Callable] = {}  # called with the leaf, when it has accumulated
        self.results: list[weakref.ref[Any]] = []  # at a node with several results: those that have hooks


class RemovableHandle:
    """What `register_hook` returns: `remove()` takes the hook back, and so does the end of a `with` block."""

    __module__ = "torch.utils.hooks"  # where it is printed to be from

    _ids = itertools.count()

    def __init__(self, hooks: dict[int, Callable], hook: Callable):
        self.hooks, self.id = hooks, next(self._ids)
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook away; nothing more the second time."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: Any) -> None:
        self.remove()


def hooks_of(tensor: Tensor) -> Hooks:
    """The hooks where the tensor's gradient arrives: at the leaf itself, or at the node that made it."""
    place = leaf.place_of(tensor)
    if place._hooks is None:
        place._hooks = Hooks()
        if isinstance(place, scalar.Output):
            (node,) = place.edges
            node._hooks = node._hooks or Hooks()
            node._hooks.results.append(weakref.ref(place))
    return place._hooks


def keep(tensor: Tensor) -> None:
    """Let a non-leaf keep in `.grad` what arrives for it, after all hooks; asking twice is asking once."""
    if not leaf.retains_grad(tensor):
        hooks_of(tensor).keepers.append(weakref.ref(tensor))


def register_hook(tensor: Tensor, hook: Callable) -> RemovableHandle:
    """Call `hook(grad)` when the tensor's gradient is complete; what it returns, unless None, takes its place."""
    if not tensor.requires_grad:
        raise RuntimeError(words.HOOK_CONSTANT)
    return RemovableHandle(hooks_of(tensor).before, hook)


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable) -> RemovableHandle:
    """Call `hook(leaf)` each time the leaf has accumulated. RuntimeError for a non-leaf, or a constant."""
    if not tensor.requires_grad:
        raise RuntimeError(words.HOOK_CONSTANT)
    if not tensor.is_leaf:
        raise RuntimeError(words.HOOK_NON_LEAF)
    return RemovableHandle(hooks_of(tensor).after, hook)


def arrive(place: Any, total: Any) -> tuple[Any, bool]:
    """A gradient is complete at a node or leaf: what the hooks make of it, and whether the walk goes on there."""
    asked = leaf.asked
    if asked is not None and place not in asked.on_the_way:
        return total, False
    go_on = asked is None or place in asked.passed
    if asked is not None and go_on and place in asked.wanted:
        asked.found[place] = total  # as in torch: a place that the walk passes is read before its hooks
    if place._hooks is not None:
        total = _hooked(place._hooks, total)
    if asked is not None and not go_on:
        asked.found[place] = total
    return total, go_on


def _hooked(hooks: Hooks, total: Any) -> Any:
    """What the hooks make of a gradient; the tensors that retain it accumulate it."""
    if isinstance(total, scalar.Shares):
        for result in [each() for each in hooks.results]:
            if result is not None and result.index not in total:
                for hook in [*result._hooks.before.values()]:
                    hook(None)  # as in torch: nothing arrived at this one of several results
        return total
    grad = total if isinstance(total, Tensor) else Tensor._of(total)
    for hook in [*hooks.before.values()]:
        answer = hook(grad)
        if answer is None:
            continue
        name = getattr(hook, "__name__", type(hook).__name__)
        if not isinstance(answer, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
        if answer.dtype is not grad.dtype:
            raise RuntimeError(words.HOOK_DTYPE.format(name, grad.dtype.tensor_type, answer.dtype.tensor_type))
        if answer.shape != grad.shape:
            raise RuntimeError(f"hook '{name}' has changed the size of value")
        grad = answer
    for keeper in hooks.keepers:
        tensor = keeper()
        if tensor is not None:
            kept = grad if tensor._grad is None else tensor._grad + grad
            tensor._grad = kept.clone() if kept is grad else kept
    return grad if isinstance(total, Tensor) else grad._array


class Asked:
    """A pass for chosen tensors only: `autograd.grad` reads what arrives there, `backward(inputs=…)` keeps it."""

    def __init__(self, root: Any, places: Iterable[Any], keeps: bool):
        self.wanted = set(places)
        self.passed = set(self.wanted) if keeps else set()  # where the walk goes on
        self.found: dict[Any, Any] = {}
        order = scalar.topological_order(root)
        for node in reversed(order):
            if any(target in self.passed or target in self.wanted for target in node.edges):
                self.passed.add(node)
        makers = {place.node for place in self.wanted if isinstance(place, scalar.Output)}
        beside = {place for place in order if isinstance(place, scalar.Output) and place.node in makers}
        # at a single root, and at the other results of a node that is read, hooks see what arrives in any case
        self.on_the_way = self.passed | self.wanted | beside | {root}


def move_keepers(tensor: Tensor, old: Any, node: Any) -> None:
    """A tensor that retains its gradient goes on doing so when `node` takes the place of what made it."""
    if old is not None and old._hooks is not None and any(keeper() is tensor for keeper in old._hooks.keepers):
        old._hooks.keepers = [keeper for keeper in old._hooks.keepers if keeper() is not tensor]
        node._hooks = Hooks()
        node._hooks.keepers.append(weakref.ref(tensor))
