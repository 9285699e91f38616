"""Helpers of `scalar.apply` and `Function.vjp`: from Tensors to arrays and back, in both directions.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#how-autograd-encodes-the-history
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from minigrad import leaf
from minigrad.arithmetic import errstate
from minigrad.compat import checks, dtypes, messages
from minigrad.graph import array_ops, freeing, nodes, state
from minigrad.graph.multi_output import Output
from minigrad.recording import saved
from minigrad.tensor import Tensor, Value

ARRAYS = frozenset((np.ndarray, np.float32, np.float64))  # the types of most gradients
Wish: TypeAlias = nodes.Operation | nodes.DeadEnd | Output | np.ndarray  # has the shape and dtype of an input
Fit: TypeAlias = Callable[[Value, Wish, nodes.Operation, int], Value]
_set, _reset, _IGNORE = errstate.STATE.set, errstate.STATE.reset, errstate.IGNORE


def edge(value: object) -> nodes.Place | None:
    """The node that made an input, the leaf itself if it requires grad, or None: no gradient is wanted."""
    if not leaf.recording or not isinstance(value, Tensor):
        return None
    if value._view is None:
        source = value._made_by
        return value if source is None and value._requires_grad else source
    counter = value._counter
    if counter and value._made_by is not None and value._view.seen == counter[0]:  # `_place()`, without four calls
        return value._made_by
    source = value._place()
    if source is not value:
        return source
    return value if value._requires_grad else nodes.DeadEnd(value._array) if value.requires_grad else None


def begin(operation: type[nodes.Operation], inputs: tuple) -> tuple[nodes.Operation, list]:
    """A new node of the operation, with nothing saved, and the inputs as arrays and numbers; if the operation
    `promotes`, all arrays in their common dtype.
    """
    node = operation.node()
    node.saved = ()
    values: list = []
    first, several = None, False  # whether there are several dtypes
    for item in inputs:
        if isinstance(item, Tensor):
            value = item._array
            if first is None:
                first = value.dtype
            elif value.dtype is not first:
                several = True
        else:
            kind = type(item)
            value = item if kind is float or kind is int else dtypes.plain(item)
            if first is None or (kind is not int and first.kind != "f"):
                several = True
        values.append(value)
    return node, dtypes.promoted(values) if several and operation.promotes else values


def forward(node: nodes.Operation, values: list, settings: dict) -> Any:
    """Run the operation on arrays. numpy's warnings are off, as torch does not warn about 1/0 or overflow."""
    token = _set(_IGNORE)
    try:
        return node.forward(node, *values, **settings)
    except OverflowError:  # a number that the integers have no room for: it wraps around, as in torch
        return node.forward(node, *dtypes.wrapped(values), **settings)
    except ValueError:
        checks.demand_broadcast(values)  # if the shapes are the reason, use torch's message
        raise
    finally:
        _reset(token)


def fresh(output: Any) -> Any:
    """The output as a Tensor that no node made; for a tuple, each of its entries."""
    constant = array_ops.constant
    return tuple([constant(np.asarray(item)) for item in output]) if type(output) is tuple else constant(output)


def result(node: nodes.Operation, inputs: tuple, values: list, output: Any) -> Any:
    """The output as a Tensor made by the node, with all that `forward` saved; for a tuple, each of its entries."""
    made: Any
    if type(output) is tuple:
        made = fresh(output)
        take_place(node, tuple([item.shape for item in output]), output[0].dtype)
        places = [Output(node, index, tensor._array) for index, tensor in enumerate(made)]
        node.places = [weakref.ref(place) for place in places]
        for place, tensor in zip(places, made, strict=True):
            tensor._made_by = place if place.dtype.kind == "f" else None
    else:
        made = array_ops.constant(output)
        if output.dtype.kind == "f":
            take_place(node, output.shape, output.dtype)
            made._made_by = node
    if node.saved:
        saved.fill(node, inputs, values, made[0] if type(made) is tuple else made)
    return made


def take_place(node: nodes.Operation, shape: tuple, dtype: np.dtype) -> None:
    """Number a node, which makes it the newest in the graph, and note which upstream gradients it waits for."""
    node.number = next(state.numbers)
    node.shape, node.dtype, node._hooks = shape, dtype, None
    freeing.watch(node)


def shares(node: nodes.Operation, grads: Any) -> list:
    """One share per edge, in the shape and dtype of its input; None where no gradient is wanted or none came."""
    grads, expected = grads if type(grads) is tuple else (grads,), len(node.edges)
    if len(grads) != expected and (len(grads) < expected or any(map(is_given, grads[expected:]))):
        raise RuntimeError(messages.WRONG_COUNT.format(node.name(), expected, len(grads)))
    results: list = []
    for target, grad in zip(node.edges, grads):  # noqa: B905  (their number is seen to)
        if target is not None and grad is not None:
            wish = target if target.number else target._array
            if type(grad) not in ARRAYS or grad.shape != wish.shape or grad.dtype is not wish.dtype:
                grad = fitted(grad, wish, node, len(results))
            results.append(grad)
        else:
            results.append(None)
    return results


def is_given(grad: object) -> bool:
    """True for a gradient; None is allowed for settings."""
    return grad is not None


def fitted(grad: Value, wish: Wish, node: nodes.Operation, index: int) -> Value:
    """A gradient in the input's shape and dtype; unchanged if it has them already."""
    fits = getattr(grad, "shape", None) == wish.shape and grad.dtype is wish.dtype
    if isinstance(target := node.edges[index], Tensor) and target._former:  # the graph may be older than its `.data`
        wish = next((form for form in target._former if array_ops.raw(grad).shape == form.shape), wish)
        fits = fits or (grad.shape == wish.shape and grad.dtype is wish.dtype)
    return grad if fits else fit(grad, wish, node, index)


fit: Fit = lambda grad, wish, node, index: grad  # noqa: E731


def set_fit(function: Fit) -> None:
    """Set what converts a gradient of another shape or dtype, `(grad, wish, node, index)`: chapter 2 has it."""
    global fit
    fit = function
