"""The frequent cases of `Function.apply` and `Function.pullback`, written out.

In a small network most of the time goes not into arithmetic but into Python, and half of that into what the general
methods have to find out: how many inputs there are, which of them are Tensors, what their dtypes make together, who
watches the gradient. So the nodes of every operation come with shortcuts that know it beforehand:

    Mul.node.apply2(a, b)    is Mul.apply(a, b)             for two tensors, or a tensor and a number
    Pow.node.apply1(a, 3)    is Pow.apply(a, exponent=3)    for one tensor, with one setting or none

and with a `pullback` for the ordinary backward pass. What turns out not to be plain (views, two dtypes, integers
beside a float; hooks, `create_graph`) they hand over to the general method: each line has its counterpart there.

Every operation has them in a copy of its own, as well as what else runs for each of its nodes. CPython learns at each
access to an attribute for which class it is, and is quick while that stays so; bytecodes that serve the nodes of all
operations would meet a different class each time.

Mirrors https://docs.pytorch.org/docs/stable/notes/extending.html#how-to-use
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from minigrad import leaf, scalar, upstream
from minigrad.compat import checks, errstate
from minigrad.runtime import state
from minigrad.tensor import Tensor, constant

closed = False  # while it is True, everything goes through `Function.apply`: for those who watch that

_new, _numbers = object.__new__, state.numbers
_set, _reset, _IGNORE = errstate.STATE.set, errstate.STATE.reset, errstate.IGNORE
_FLOAT, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_ARRAYS = {np.ndarray, np.float32, np.float64}
# `needs_input_grad` and `versions`: one tuple for all, as a long chain keeps what each of its nodes has
_ONE, _NONE = (True,), (False,)
_BOTH, _FIRST, _SECOND, _NEITHER = (True, True), (True, False), (False, True), (False, False)
_NOTHING: Any = object()


def give(node: Any, operation: Any) -> None:
    """Put the shortcuts into the class of an operation's nodes, and its own copies of the methods of `Function`."""
    general = vars(scalar.Function)
    same = {name for name in ("save_for_backward", "shares", "pullback") if getattr(operation, name) is general[name]}
    for name in same:
        setattr(node, name, own(general[name]))
    if operation.saved_tensors is general["saved_tensors"]:
        node.saved_tensors = property(own(general["saved_tensors"].fget))
    node.apply1, node.apply2 = map(own, of_applying(operation, node))
    pullback = of_pullback(operation)
    if pullback is not None and {"shares", "pullback"} <= same:
        node.pullback = own(pullback)


def own(function: Any) -> Any:
    """The same function with bytecodes of its own."""
    code, name = function.__code__.replace(), function.__name__
    return types.FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)


# --- forward -------------------------------------------------------------------------------------


def of_applying(operation: Any, node: Any) -> tuple:
    """`apply1` and `apply2` of an operation."""
    forward, plain = operation.forward, operation._plain

    def apply1(a: Tensor, setting: Any = _NOTHING) -> Any:
        x = a._array
        if a._view is not None or closed:
            return operation.apply(a, **named(operation, setting))
        to_a = a._made_by
        if to_a is None and a._requires_grad:
            to_a = a
        ctx = node()
        recorded = to_a is not None and leaf.recording
        if recorded:
            ctx.saved = ()
            ctx.needs_input_grad = _ONE
        else:
            ctx.needs_input_grad = _NONE
        token = _set(_IGNORE)
        try:
            output = forward(ctx, x) if setting is _NOTHING else forward(ctx, x, setting)
        finally:
            _reset(token)
        result = _new(Tensor)
        result._array = output
        result._requires_grad = False
        result._made_by = result._view = result._counter = result._grad = result._hooks = None
        if recorded and output.dtype.kind == "f":
            ctx.edges = (to_a,)
            ctx.number = next(_numbers)
            ctx.shape = output.shape
            ctx.dtype = output.dtype
            ctx.versions = ctx._hooks = None
            result._made_by = ctx
            saved = ctx.saved
            if saved:
                if len(saved) == 1 and saved[0] is x:
                    ctx.saved = (a,)
                    if a._counter is not None and a._counter[0]:
                        ctx.versions = leaf.versions(ctx.saved)
                else:
                    scalar.remember(ctx, (a,), (x,), result)
        return result

    def apply2(a: Tensor, b: Any) -> Any:
        x, kind = a._array, type(b)
        if closed:
            return operation.apply(a, b)
        if kind is not Tensor and (kind is float or kind is int):
            if (x.dtype is not _FLOAT and x.dtype is not _DOUBLE) or a._view is not None:
                return operation.apply(a, b)
            if plain is not None and not leaf.recording:
                token = _set(_IGNORE)
                try:
                    return constant(plain(x, b))
                finally:
                    _reset(token)
            y, to_b, changes = b, None, None
        elif isinstance(b, Tensor):
            y = b._array
            if x.dtype is not y.dtype or a._view is not None or b._view is not None:
                return operation.apply(a, b)
            to_b, changes = b._made_by, b._counter
            if to_b is None and b._requires_grad:
                to_b = b
        else:
            return operation.apply(a, b)
        to_a = a._made_by
        if to_a is None and a._requires_grad:
            to_a = a
        recorded = leaf.recording and (to_a is not None or to_b is not None)
        ctx = node()
        if recorded:
            ctx.saved = ()
            ctx.needs_input_grad = _SECOND if to_a is None else _FIRST if to_b is None else _BOTH
        else:
            ctx.needs_input_grad = _NEITHER
        token = _set(_IGNORE)
        try:
            output = forward(ctx, x, y)
        except ValueError:
            checks.demand_broadcast((x, y))
            raise
        finally:
            _reset(token)
        result = _new(Tensor)
        result._array = output
        result._requires_grad = False
        result._made_by = result._view = result._counter = result._grad = result._hooks = None
        if recorded and output.dtype.kind == "f":
            ctx.edges = (to_a, to_b)
            ctx.number = next(_numbers)
            ctx.shape = output.shape
            ctx.dtype = output.dtype
            ctx.versions = ctx._hooks = None
            result._made_by = ctx
            saved = ctx.saved
            if saved:
                p, q = saved if len(saved) == 2 else (_NOTHING, None)
                if (p is x or p is None) and (q is y or q is None):
                    p, q = None if p is None else a, None if q is None else b
                    ctx.saved = saved = (p, q)
                    of_a = a._counter[0] if p is not None and a._counter else 0
                    of_b = changes[0] if q is not None and changes else 0
                    if of_a or of_b:
                        ctx.versions = of_a, of_b
                else:
                    scalar.remember(ctx, (a, b), (x, y), result)
        return result

    return apply1, apply2


def named(operation: Any, setting: Any) -> dict[str, Any]:
    """The setting under the name that the operation's `forward` gives it."""
    return {} if setting is _NOTHING else {operation.forward.__code__.co_varnames[2]: setting}


# --- backward ------------------------------------------------------------------------------------


def of_pullback(operation: Any) -> Any:
    """`pullback` of an operation: if its gradients need no check, or if there are two; None for others."""

    def exact(self: Any, grad_output: Any, retain_graph: bool = False) -> list:
        if not state.ordinary or self._hooks is not None or self.saved is None or self.needs_input_grad == _NONE:
            return scalar.Function.pullback(self, grad_output, retain_graph)
        grads = self.backward(self, grad_output)
        leaf.free(self, retain_graph)
        return list(grads) if type(grads) is tuple else [grads]

    def of_two(self: Any, grad_output: Any, retain_graph: bool = False) -> list:
        if not state.ordinary or self._hooks is not None or self.saved is None:
            return scalar.Function.pullback(self, grad_output, retain_graph)
        (to_a, to_b), (a, b) = self.backward(self, grad_output), self.edges
        if a is None:
            to_a = None
        elif to_a is not None:
            wish = a if a.number else a._array
            if type(to_a) not in _ARRAYS or to_a.shape != wish.shape or to_a.dtype is not wish.dtype:
                to_a = upstream.fit(to_a, wish, self, 0)
        if b is None:
            to_b = None
        elif to_b is not None:
            wish = b if b.number else b._array
            if type(to_b) not in _ARRAYS or to_b.dtype is not wish.dtype:
                to_b = upstream.fit(to_b, wish, self, 1)
            elif to_b.shape != wish.shape:
                rows = to_b.shape[1:] == wish.shape  # one row for all: the frequent case
                to_b = upstream.sum_to_shape(to_b, wish.shape) if rows else upstream.fit(to_b, wish, self, 1)
        leaf.free(self, retain_graph)
        return [to_a, to_b]

    return exact if operation.exact else of_two if operation._plain else None
