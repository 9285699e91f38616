"""What `Function.apply` and `Function.vjp` leave to others: from Tensors to arrays and back, both ways.

Forward, the inputs become arrays of one dtype, and the output a Tensor that knows its node. Backward, what `backward`
returned becomes one share per edge, of the shape and dtype of the input.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#how-autograd-encodes-the-history
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, dtypes, errstate, messages
from minigrad.runtime import nodes, saved, state
from minigrad.runtime.multi_output import Output, OutputGrads
from minigrad.tensor import Tensor, constant

_set, _reset, _IGNORE = errstate.STATE.set, errstate.STATE.reset, errstate.IGNORE

# --- forward -------------------------------------------------------------------------------------


def edge(value: Any) -> Any:
    """The node that made an input, the leaf itself if it requires grad, or None: no gradient is wanted.

    A view that was taken without a record, of what requires grad, is a dead end: recorded, and nothing keeps it.
    """
    if not leaf.recording or not isinstance(value, Tensor):
        return None
    if value._view is None:
        source = value._made_by
        return value if source is None and value._requires_grad else source
    source = value._place()
    if source is not value:
        return source
    return value if value._requires_grad else nodes.DeadEnd(value._array) if value.requires_grad else None


def values(inputs: tuple, promotes: bool = True) -> list:
    """The inputs as arrays and numbers; if the operation `promotes`, all arrays in the dtype where they meet."""
    found: list = []
    first = None
    several = False
    for each in inputs:
        if isinstance(each, Tensor):
            value = each._array
            if first is None:
                first = value.dtype
            elif value.dtype is not first:
                several = True
        else:
            kind = type(each)
            value = each if kind is float or kind is int else dtypes.plain(each)
            if first is None or (kind is not int and first.kind != "f"):
                several = True
        found.append(value)
    return dtypes.promoted(found) if several and promotes else found


def forward(node: Any, values: list, settings: dict) -> Any:
    """What the operation makes of arrays. numpy's warnings are off, as torch does not warn about 1/0 or overflow."""
    token = _set(_IGNORE)
    try:
        return node.forward(node, *values, **settings)
    except ValueError:
        checks.demand_broadcast(values)  # if the shapes are the reason, say so in torch's words
        raise
    finally:
        _reset(token)


def result(node: Any, inputs: tuple, values: list, output: Any) -> Any:
    """The output as a Tensor that the node made, if one of the inputs wants a gradient; of a tuple, each of them."""
    if type(output) is tuple:
        return _results(node, inputs, values, output)
    tensor = constant(output)
    if True in node.needs_input_grad and output.dtype.kind == "f":
        take_place(node, output.shape, output.dtype)
        tensor._made_by = node
        if node.saved:
            saved.keep(node, inputs, values, tensor)
    return tensor


def _results(node: Any, inputs: tuple, values: list, outputs: tuple) -> tuple:
    """A Tensor for each of the results, all made by one node."""
    tensors = tuple([constant(np.asarray(each)) for each in outputs])
    if True in node.needs_input_grad:
        take_place(node, tuple([each.shape for each in outputs]), outputs[0].dtype)
        places = [Output(node, index, tensor._array) for index, tensor in enumerate(tensors)]
        node.places = [weakref.ref(place) for place in places]
        for place, tensor in zip(places, tensors, strict=True):
            if tensor._array.dtype.kind == "f":
                tensor._made_by = place
        if node.saved:
            saved.keep(node, inputs, values, tensors[0])
    return tensors


def take_place(node: Any, shape: tuple, dtype: np.dtype) -> None:
    """Number a node, which makes it the newest of the graph, and say what upstream gradients it waits for."""
    node.number = next(state.numbers)
    node.shape, node.dtype, node._hooks = shape, dtype, None


# --- backward ------------------------------------------------------------------------------------


def arrived(node: Any, grad_output: Any) -> Any:
    """The upstream gradients that `backward` is called with: one, or for several results one for each."""
    return grad_output.complete(node) if type(grad_output) is OutputGrads else (grad_output,)


def shares(node: Any, grads: Any) -> list:
    """One share per edge, in the shape and dtype of its input; None where no gradient is wanted, or none came.

    RuntimeError if `backward` returned another number of gradients than there are inputs.
    """
    grads, edges = grads if type(grads) is tuple else (grads,), node.edges
    expected = len(edges)
    if len(grads) < expected or any(each is not None for each in grads[expected:]):  # None may stand for a setting
        raise RuntimeError(messages.WRONG_COUNT.format(node.name(), expected, len(grads)))
    found: list = []
    for target, grad in zip(edges, grads):  # noqa: B905  (their number is seen to)
        if target is None or grad is None:
            found.append(None)
        else:
            found.append(fitted(grad, target if target.number else target._array, node, len(found)))
    return found


def fitted(grad: Any, wish: Any, node: Any, index: int) -> Any:
    """A gradient in the shape and dtype that the input wishes: as it is, where it has them."""
    if getattr(grad, "shape", None) == wish.shape and grad.dtype is wish.dtype:
        return grad
    return fit(grad, wish, node, index)


def _unfitted(grad: Any, wish: Any, node: Any, index: int) -> Any:
    """What is done with a gradient of another shape or dtype before chapter 2: nothing."""
    return grad


fit: Callable[[Any, Any, Any, int], Any] = _unfitted
