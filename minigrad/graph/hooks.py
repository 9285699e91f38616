"""Watching a gradient pass: hooks on tensors and nodes, and tensors that retain their gradient.

A hook is called when the gradient of its tensor is complete, that is, when the walk visits the place where it
arrives: the leaf itself, or the node that made the tensor. Hooks run first, in the order of registration, then the
tensors that retain the gradient keep it. `autograd.grad` and `backward(inputs=…)` read or keep it at the same places.
Then the node's prehooks run, and once the node has run, its own hooks.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from minigrad.compat import messages
from minigrad.graph import owning, state
from minigrad.graph.multi_output import Output, OutputGrads, Upstream
from minigrad.tensor import Tensor, Value


class Place(Protocol):
    """Where a gradient arrives: a leaf, a node, or one of its several results."""

    _hooks: Any

    @property
    def edges(self) -> Any:
        """Where the gradient goes from there."""


class Node(Place, Protocol):
    """A node, as its hooks know it."""

    nothing: Any

    def vjp(self, grad_output: Any, retain_graph: bool = False) -> list:
        """The shares of the node's inputs."""

    def expects(self) -> int:
        """How many results it has."""


class Hooks:
    """Everything that watches the gradient arriving at one place in the graph."""

    def __init__(self) -> None:
        self.before: dict[int, Callable] = {}  # called with the gradient; may return another
        self.keepers: list[weakref.ref[Tensor]] = []  # non-leaf tensors that keep it
        self.after: dict[int, Callable] = {}  # called with the leaf after it has accumulated
        self.results: list[weakref.ref[Output]] = []  # at a node with several results: those that have hooks
        self.entering: dict[int, Callable] = {}  # of the node itself: called with the gradients of its results,
        self.leaving: dict[int, Callable] = {}  # and with those of its inputs; may return others


class RemovableHandle:
    """What `register_hook` returns: `remove()` takes the hook back, and so does the end of a `with` block."""

    __module__ = "torch.utils.hooks"  # the module that torch prints
    _ids = itertools.count()

    def __init__(self, hooks: dict[int, Callable], hook: Callable):
        self.hooks, self.id = hooks, next(self._ids)
        hooks[self.id] = hook

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def hooks_at(place: Place) -> Hooks:
    """The hooks of a node, a leaf, or one of several results, which its node must know about."""
    if place._hooks is None:
        place._hooks = Hooks()
        if isinstance(place, Output):
            hooks_at(place.edges[0]).results.append(weakref.ref(place))
    return place._hooks


def keep(tensor: Tensor) -> None:
    """Make a non-leaf keep in `.grad` what arrives for it, after all hooks; a second call changes nothing."""
    if not keeps(tensor):
        hooks_at(tensor._place()).keepers.append(weakref.ref(tensor))


def keeps(tensor: Tensor) -> bool:
    """True for a non-leaf that was asked to retain its gradient."""
    place = tensor._source()
    return place is not None and place._hooks is not None and any(k() is tensor for k in place._hooks.keepers)


def move_keepers(tensor: Tensor, old: Place | None, node: Place) -> None:
    """A tensor that retains its gradient continues to do so when `node` replaces the one that made it."""
    if old is not None and old._hooks is not None and any(keeper() is tensor for keeper in old._hooks.keepers):
        old._hooks.keepers = [keeper for keeper in old._hooks.keepers if keeper() is not tensor]
        hooks_at(node).keepers.append(weakref.ref(tensor))


def register_hook(tensor: Tensor, hook: Callable) -> RemovableHandle:
    """Call `hook(grad)` when the tensor's gradient is complete; what it returns, unless None, replaces the gradient."""
    if not tensor.requires_grad:
        raise RuntimeError(messages.HOOK_CONSTANT)
    return RemovableHandle(hooks_at(tensor._place()).before, hook)


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable) -> RemovableHandle:
    """Call `hook(leaf)` each time the leaf has accumulated. RuntimeError for a non-leaf or a constant."""
    if not tensor.requires_grad or not tensor.is_leaf:
        raise RuntimeError(messages.HOOK_NON_LEAF if tensor.requires_grad else messages.HOOK_CONSTANT)
    return RemovableHandle(hooks_at(tensor).after, hook)


# --- hooks of tensors ----------------------------------------------------------------------------


def arrive(place: Node | Tensor, total: Upstream | None) -> tuple[Any, bool]:
    """A gradient is complete at a node or leaf: run the hooks on it, and say whether the walk continues there."""
    asked = state.watcher
    if asked is not None and place not in asked.on_the_way:
        return total, False
    go_on = asked is None or place in asked.passed
    if asked is not None and go_on:
        asked.read(place, total)  # as in torch: a place that the walk passes is read before its hooks
    if place._hooks is not None:
        owning.settle()
        total = _hooked(place._hooks, total)
    if asked is not None and not go_on:
        asked.read(place, total)
    elif place._hooks is not None and place._hooks.entering:
        grads = _raw(_told(place._hooks.entering, arrived(place, total)))
        several = isinstance(total, OutputGrads)
        total = OutputGrads({i: grad for i, grad in enumerate(grads) if grad is not None}) if several else grads[0]
    return total, go_on


def _hooked(hooks: Hooks, total: Upstream | None) -> Upstream | None:
    """Run the hooks on a gradient; tensors that retain it accumulate the result."""
    if isinstance(total, OutputGrads):
        results = [item for item in [result() for result in hooks.results] if item is not None]
        grads = {result.index: _after(hooks_at(result).before, total.get(result.index)) for result in results}
        for item in results:
            _keep(hooks_at(item).keepers, grads[item.index])
        return OutputGrads(total | {index: grad for index, grad in grads.items() if grad is not None})
    grad = _after(hooks.before, total)
    _keep(hooks.keepers, grad)
    return grad


def _after(hooks: dict[int, Callable], total: Value | None) -> Value | None:
    """Run hooks on a gradient; they get None if nothing arrived at this one of several results."""
    (grad,) = as_tensors([total])
    for hook in [*hooks.values()]:
        answer = hook(grad)
        _demand(hook, grad, answer)
        grad = grad if answer is None else answer
    return grad if grad is None or isinstance(total, Tensor) else grad._array


def _keep(keepers: list[weakref.ref[Tensor]], grad: Value | None) -> None:
    """Tensors that retain their gradient accumulate it."""
    for tensor in [keeper() for keeper in keepers] if grad is not None else ():
        if tensor is not None:
            (new,) = as_tensors([grad])
            tensor._grad = new.clone() if tensor._grad is None else tensor._grad + new


def received(tensor: Tensor, total: Value | None) -> None:
    """After a leaf has accumulated, run its own hooks, then those of its AccumulateGrad, which has no inputs."""
    owning.settle()
    if tensor._requires_grad and total is not None:
        answers = [hook(tensor) for hook in [*tensor._hooks.after.values()]]
        if any(answer is not None and answer is not tensor for answer in answers):
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    if tensor._hooks.leaving:
        _told(tensor._hooks.leaving, (), arrived(tensor, total))


# --- hooks of nodes ------------------------------------------------------------------------------


def visit(node: Node, grad_output: Upstream, retain_graph: bool) -> list:
    """The shares of a node, with hooks: those of the result, the node's prehooks, and the node's own hooks."""
    if state.anomalies is not None:
        return state.anomalies(node, lambda: _visit(node, grad_output, retain_graph))
    return _visit(node, grad_output, retain_graph)


def _visit(node: Node, grad_output: Upstream, retain_graph: bool) -> list:
    """The same, without anomaly mode."""
    if node._hooks is None and state.watcher is None:
        return node.vjp(grad_output, retain_graph)
    total, go_on = arrive(node, grad_output)
    taken = total is None or (isinstance(total, OutputGrads) and not total)  # by a hook
    owning.settle()
    seed = node.nothing if taken else total
    shares: list = [None] * len(node.edges)
    if go_on and seed is not None:
        shares = node.vjp(seed, retain_graph)
    if go_on and node._hooks is not None and node._hooks.leaving:
        asked = state.watcher
        if asked is not None and node.nothing is None:  # as in torch: the pass computes only what it needs
            shares = [s if asked.needs(target) else None for target, s in zip(node.edges, shares, strict=True)]
        shares = _raw(_told(node._hooks.leaving, as_tensors(shares), arrived(node, total)))
    return shares


def _told(hooks: dict[int, Callable], grads: tuple, *others: tuple) -> tuple:
    """The gradients after all hooks. TypeError or RuntimeError, in torch's words, for invalid replacements."""
    for hook in [*hooks.values()]:
        answer = hook(grads, *others)
        if answer is None:
            continue
        if not isinstance(answer, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(answer).__name__}'")
        if len(answer) != len(grads):
            raise RuntimeError(messages.HOOK_COUNT.format(_name(hook), len(answer), len(grads)))
        for grad, each in zip(grads, answer, strict=True):
            _demand(hook, grad, each)
        grads = answer
    return grads


def _demand(hook: Callable, grad: Tensor | None, answer: object) -> None:
    """TypeError or RuntimeError, in torch's words, if a hook's return value cannot replace a gradient."""
    if answer is None:
        return
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(answer, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
    if answer.dtype is not grad.dtype:
        raise RuntimeError(messages.HOOK_DTYPE.format(_name(hook), grad.dtype.tensor_type, answer.dtype.tensor_type))
    if answer.shape != grad.shape:
        raise RuntimeError(f"hook '{getattr(hook, '__name__', '<unknown>')}' has changed the size of value")


def _name(hook: Callable) -> str:
    return getattr(hook, "__name__", "<unknown>")


def arrived(place: Node | Tensor, total: Upstream | None) -> tuple:
    """The gradients at a node as its hooks see them: one for each of its results, None where nothing arrived."""
    return as_tensors([total.get(i) for i in range(place.expects())] if isinstance(total, OutputGrads) else [total])


def as_tensors(grads: Iterable[Value | None]) -> tuple:
    """Gradients as the program sees them: Tensors, or None."""
    return tuple([grad if grad is None or isinstance(grad, Tensor) else Tensor._of(grad) for grad in grads])


def _raw(grads: tuple) -> list:
    """Gradients as the walk uses them: arrays, or Tensors in a recorded pass."""
    return [grad if grad is None or state.recorded else grad._array for grad in grads]
