"""Seeing a gradient pass: hooks of tensors and nodes, and tensors that retain their gradient.

A hook is called when the gradient of its tensor is complete, that is when the walk visits the place where it
arrives: the leaf itself, or the node that made the tensor. Hooks come first, in the order of their registration, then
the tensors that retain the gradient. `autograd.grad` and `backward(inputs=…)` read or keep it at the same places.
After them come the prehooks of the node, and when it has run, its own hooks.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution
"""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from minigrad.compat import messages
from minigrad.runtime import state
from minigrad.runtime.multi_output import Output, OutputGrads
from minigrad.tensor import Tensor


class Hooks:
    """What wants to know of the gradient that arrives at one place of the graph."""

    __slots__ = ("before", "since", "keepers", "after", "results", "entering", "leaving")

    def __init__(self) -> None:
        self.before: dict[int, Callable] = {}  # called with the gradient; may return another
        self.since: float = math.inf  # the number of the first of them: the results of a node come in this order
        self.keepers: list[weakref.ref[Tensor]] = []  # non-leaf tensors that keep it
        self.after: dict[int, Callable] = {}  # called with the leaf, when it has accumulated
        self.results: list[weakref.ref[Any]] = []  # at a node with several results: those that have hooks
        self.entering: dict[int, Callable] = {}  # of the node itself: called with the gradients of its results,
        self.leaving: dict[int, Callable] = {}  # and with those of its inputs; may return others


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
    return hooks_at(tensor._place())


def hooks_at(place: Any) -> Hooks:
    """The hooks of a node or leaf, or of one of several results, which its node has to know."""
    if place._hooks is None:
        place._hooks = Hooks()
        if isinstance(place, Output):
            hooks_at(place.edges[0]).results.append(weakref.ref(place))
    return place._hooks


def keep(tensor: Tensor) -> None:
    """Let a non-leaf keep in `.grad` what arrives for it, after all hooks; asking twice is asking once."""
    if not keeps(tensor):
        hooks_of(tensor).keepers.append(weakref.ref(tensor))


def keeps(tensor: Tensor) -> bool:
    """True for a non-leaf that was asked to retain its gradient."""
    place = tensor._source()
    return place is not None and place._hooks is not None and any(k() is tensor for k in place._hooks.keepers)


def register_hook(tensor: Tensor, hook: Callable) -> RemovableHandle:
    """Call `hook(grad)` when the tensor's gradient is complete; what it returns, unless None, takes its place."""
    if not tensor.requires_grad:
        raise RuntimeError(messages.HOOK_CONSTANT)
    found = hooks_of(tensor)
    handle = RemovableHandle(found.before, hook)
    found.since = min(found.since, handle.id)
    return handle


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable) -> RemovableHandle:
    """Call `hook(leaf)` each time the leaf has accumulated. RuntimeError for a non-leaf, or a constant."""
    if not tensor.requires_grad:
        raise RuntimeError(messages.HOOK_CONSTANT)
    if not tensor.is_leaf:
        raise RuntimeError(messages.HOOK_NON_LEAF)
    return RemovableHandle(hooks_of(tensor).after, hook)


def arrive(place: Any, total: Any) -> tuple[Any, bool]:
    """A gradient is complete at a node or leaf: what the hooks make of it, and whether the walk goes on there."""
    asked = state.watcher
    if asked is not None and place not in asked.on_the_way:
        return total, False
    go_on = asked is None or place in asked.passed
    if asked is not None and go_on:
        asked.read(place, total)  # as in torch: a place that the walk passes is read before its hooks
    if place._hooks is not None:
        total = _hooked(place._hooks, total)
    if asked is not None and not go_on:
        asked.read(place, total)
    elif place._hooks is not None and place._hooks.entering:
        total = _entered(place, total)
    return total, go_on


def _hooked(hooks: Hooks, total: Any) -> Any:
    """What the hooks make of a gradient; the tensors that retain it accumulate it."""
    if isinstance(total, OutputGrads):
        results = sorted(
            [each for each in [result() for result in hooks.results] if each is not None],
            key=lambda result: result._hooks.since,
        )
        grads = {each.index: _after(each._hooks.before, total.get(each.index)) for each in results}
        for each in results:
            _keep(each._hooks.keepers, grads[each.index])
        return OutputGrads(total | {index: grad for index, grad in grads.items() if grad is not None})
    grad = _after(hooks.before, total)
    _keep(hooks.keepers, grad)
    return grad


def _after(hooks: dict[int, Callable], total: Any) -> Any:
    """What hooks make of a gradient; they are called with None if nothing arrived at this one of several results."""
    (grad,) = _seen([total])
    for hook in [*hooks.values()]:
        answer = hook(grad)
        _demand(hook, grad, answer)
        grad = grad if answer is None else answer
    return grad if grad is None or isinstance(total, Tensor) else grad._array


def _keep(keepers: list[weakref.ref[Tensor]], grad: Any) -> None:
    """Tensors that retain their gradient accumulate it."""
    for tensor in [keeper() for keeper in keepers] if grad is not None else ():
        if tensor is not None:
            (new,) = _seen([grad])
            tensor._grad = new.clone() if tensor._grad is None else tensor._grad + new


def _demand(hook: Callable, grad: Tensor | None, answer: Any) -> None:
    """TypeError or RuntimeError, in torch's words, if what a hook returned cannot take the place of a gradient."""
    if answer is None:
        return
    name = getattr(hook, "__name__", "<unknown>")
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(answer, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
    if answer.dtype is not grad.dtype:
        raise RuntimeError(messages.HOOK_DTYPE.format(name, grad.dtype.tensor_type, answer.dtype.tensor_type))
    if answer.shape != grad.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


# --- hooks of nodes ------------------------------------------------------------------------------


def visit(node: Any, grad_output: Any, retain_graph: bool) -> list:
    """The shares of a node, with those who watch: hooks of the result, of the node before, of the node after."""
    if state.anomalies is not None:
        return state.anomalies(node, lambda: _visit(node, grad_output, retain_graph))
    return _visit(node, grad_output, retain_graph)


def _visit(node: Any, grad_output: Any, retain_graph: bool) -> list:
    """The same, where nobody looks for anomalies."""
    if node._hooks is None and state.watcher is None:
        return node.vjp(grad_output, retain_graph)
    grad_output, go_on = arrive(node, grad_output)
    taken = grad_output is None or (isinstance(grad_output, OutputGrads) and not grad_output)  # by a hook
    seed = node.nothing if taken else grad_output
    if not go_on or seed is None:
        shares: list = [None] * len(node.edges)
    else:
        shares = node.vjp(seed, retain_graph)
    if go_on and node._hooks is not None and node._hooks.leaving:
        asked = state.watcher
        if asked is not None and node.nothing is None:  # as in torch: what the pass does not need is not computed
            shares = [s if asked.needs(target) else None for target, s in zip(node.edges, shares, strict=True)]
        shares = _raw(_told(node._hooks.leaving, _seen(shares), _arrived(node, grad_output)))
    return shares


def received(tensor: Tensor, total: Any) -> None:
    """A leaf has accumulated: its own hooks, then those of its AccumulateGrad, which has no inputs."""
    if tensor._requires_grad and total is not None:
        given = tensor
        for hook in [*tensor._hooks.after.values()]:
            answer = hook(given)
            _demand(hook, given, answer)
            given = given if answer is None else answer
        if given is not tensor:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    if tensor._hooks.leaving:
        _told(tensor._hooks.leaving, (), _arrived(tensor, total))


def _entered(place: Any, total: Any) -> Any:
    """What the prehooks of a node make of what arrived; of a node with one result, None if nothing is left."""
    grads = _raw(_told(place._hooks.entering, _arrived(place, total)))
    if isinstance(total, OutputGrads):
        return OutputGrads({index: grad for index, grad in enumerate(grads) if grad is not None})
    return grads[0]


def _told(hooks: dict[int, Callable], grads: tuple, *others: tuple) -> tuple:
    """The gradients after all hooks. TypeError or RuntimeError, in torch's words, for what cannot take their place."""
    for hook in [*hooks.values()]:
        answer = hook(grads, *others)
        if answer is None:
            continue
        if not isinstance(answer, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(answer).__name__}'")
        if len(answer) != len(grads):
            name, got, expected = getattr(hook, "__name__", "<unknown>"), len(answer), len(grads)
            raise RuntimeError(messages.HOOK_COUNT.format(name, got, expected))
        for grad, each in zip(grads, answer, strict=True):
            _demand(hook, grad, each)
        grads = answer
    return grads


def _arrived(place: Any, total: Any) -> tuple:
    """What arrived at a node as its hooks see it: one for each of its results, None where nothing did."""
    if isinstance(total, OutputGrads):
        return _seen([total.get(index) for index in range(place.expects())])
    return _seen([total])


def _seen(grads: Iterable[Any]) -> tuple:
    """Gradients as the program sees them: Tensors, or None."""
    return tuple([each if each is None or isinstance(each, Tensor) else Tensor._of(each) for each in grads])


def _raw(grads: tuple) -> list:
    """Gradients as the walk has them: arrays, but Tensors where it is recorded."""
    return [each if each is None or state.recorded else each._array for each in grads]


def move_keepers(tensor: Tensor, old: Any, node: Any) -> None:
    """A tensor that retains its gradient goes on doing so when `node` takes the place of what made it."""
    if old is not None and old._hooks is not None and any(keeper() is tensor for keeper in old._hooks.keepers):
        old._hooks.keepers = [keeper for keeper in old._hooks.keepers if keeper() is not tensor]
        hooks_at(node).keepers.append(weakref.ref(tensor))
