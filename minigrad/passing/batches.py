"""One walk for many upstream gradients, as torch does for `jacrev`: each gradient has one more axis in front, for the
rows. Each operation has a rule for that: one of its own, or its `backward` as it is, where that goes entry by entry
(`entrywise`); or its `backward` is asked row by row.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, TypeAlias

import numpy as np

from minigrad import leaf, scalar, upstream
from minigrad.arithmetic import errstate
from minigrad.graph import nodes, state
from minigrad.recording import saved
from minigrad.tensor import Tensor

# From a node, the gradients (rows, *its shape), and for each input its shape, or None if nothing is wanted: the shares.
Rule: TypeAlias = Callable[[Any, np.ndarray, list], Any]
RULES: dict[str, Rule] = {}  # by the names of operations
PARTS = [(scalar, "backpropagate"), (scalar, "topological_order"), (upstream, "seed_rule"), (upstream, "sum_to_shape")]


def codes(places: Iterable[tuple[Any, str]]) -> list[CodeType | None]:
    """The code of the functions in these places, None where there is none: a replaced part has another."""
    return [getattr(vars(module).get(name), "__code__", None) for module, name in places]


OURS = codes(PARTS)


def of_rows(output: Tensor, inputs: tuple, rows: np.ndarray) -> list[np.ndarray | None] | None:
    """The gradients of the inputs for upstream gradients (n, *output.shape): (n, *shape) each, None where none arrives.
    None for all where this walk would go around something: hooks, nodes with several results or of the program, a part
    of the engine that was replaced.
    """
    if nodes.prepare is None or state.anomalies is not None or state.packer is not None or not _is_ours():
        return None
    root = output._place()
    order = scalar.topological_order(root)
    wanted = [value._place() for value in inputs]
    if not all(_is_simple(place) for place in [*order, *wanted]):
        return None
    passed = {*wanted}
    for node in reversed(order):
        if any(target in passed for target in node.edges):
            passed.add(node)
    token = errstate.STATE.set(errstate.IGNORE)
    before = leaf.recording, state.ordinary
    leaf.recording = state.ordinary = False
    try:
        return _walked(root, rows, order, passed, wanted)
    finally:
        leaf.recording, state.ordinary = before
        errstate.STATE.reset(token)


def _is_ours() -> bool:
    """Whether nobody has replaced the parts that this walk stands for."""
    return codes(PARTS) == OURS


def _is_simple(place: Any) -> bool:
    """Whether only the walk looks at what arrives at a place, and that is one gradient."""
    if place._hooks is not None:
        return False
    return isinstance(place, (Tensor, nodes.DeadEnd)) or (
        isinstance(place, scalar.Function)
        and not hasattr(place, "places")
        and type(place).backward.__module__.startswith("minigrad.")
    )


def _walked(root: Any, rows: np.ndarray, order: list, passed: set, wanted: list) -> list[np.ndarray | None]:
    arrived: dict[Any, np.ndarray] = {root: rows}
    found: dict[Any, np.ndarray] = {}
    places = {*wanted}
    for node in order:
        total = arrived.pop(node, None)
        if total is None or node not in passed:
            continue
        if node in places:
            found[node] = total
        if isinstance(node, Tensor) or not any(target in passed for target in node.edges):
            continue
        saved.demand(node)
        shapes = [_shape(target) if target in passed else None for target in node.edges]
        for target, shape, share in zip(node.edges, shapes, _shares(node, total, shapes), strict=False):
            if shape is not None and share is not None:
                fitting = _fitted(share, len(rows), shape, total.dtype)
                arrived[target] = arrived[target] + fitting if target in arrived else fitting
    return [found.get(place) for place in wanted]


def _shape(target: Any) -> tuple[int, ...]:
    return target._array.shape if isinstance(target, Tensor) else target.shape


def _shares(node: Any, total: np.ndarray, shapes: list) -> tuple:
    """One share for each input, for all rows."""
    shares = rule_of(node.__class__)(node, total, shapes)
    return shares if isinstance(shares, tuple) else (shares,)


@functools.lru_cache(maxsize=256)
def rule_of(node: Any) -> Rule:
    """The rule of an operation, or of the first one that it inherits from that has one."""
    names = [f"{base.__module__.removeprefix('minigrad.')}.{base.__name__}" for base in node.__mro__]
    return next((RULES[name] for name in names if name in RULES), row_by_row)


def row_by_row(node: Any, total: np.ndarray, shapes: list) -> tuple:
    """The rule of an operation that has no other."""
    parts = [node.backward(node, row) for row in total]
    columns = zip(*parts, strict=True) if isinstance(parts[0], tuple) else [parts]
    return tuple([None if column[0] is None else np.stack([np.asarray(item) for item in column]) for column in columns])


def _fitted(share: np.ndarray, count: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A share summed to the shape of its input, row by row."""
    if share.shape != (count, *shape):
        new = share.ndim - 1 - len(shape)
        axes = [*range(1, 1 + new)]
        axes += [1 + new + axis for axis, size in enumerate(shape) if size == 1 != share.shape[1 + new + axis]]
        share = share.sum(axis=tuple(axes), keepdims=True).reshape(-1, *shape)
    return share if share.dtype == dtype else share.astype(dtype)


# --- rules ---------------------------------------------------------------------------------------


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Decorator: the rule of the operations with these names, and of those that inherit from them."""

    def add(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return add


@rule(
    *[f"scalar.{name}" for name in ("Add", "Sub", "Neg", "Mul", "Div", "Pow")],
    *[f"ops.elementary.{name}" for name in ("OfInput", "Unsaved", "Scale", "Portion", "TanhShare")],
    *[f"ops.where_clamp.{name}" for name in ("Where", "MaskedFill", "Clamp", "Maximum")],
    "nn.fused.Activation",
)
def entrywise(node: Any, total: np.ndarray, shapes: list) -> Any:
    """Where `backward` goes entry by entry, it takes one more axis in front as it is."""
    return node.backward(node, total)


@rule("ops.elementary.Relu")
def _of_relu(node: Any, total: np.ndarray, shapes: list) -> np.ndarray:
    return np.where(node.saved_tensors[0] != 0, total, total.dtype.type(0))


@rule("ops.shaping.View", "ops.shaping.UnsafeView")
def _of_view(node: Any, total: np.ndarray, shapes: list) -> np.ndarray:
    return total.reshape(len(total), *shapes[0])


@rule("ops.permuting.Permute")
def _of_permuted(node: Any, total: np.ndarray, shapes: list) -> np.ndarray:
    back = sorted(range(len(node.axes)), key=node.axes.__getitem__)
    return total.transpose(0, *[1 + axis for axis in back])


@rule("upstream.Sum", "upstream.Mean")
def _of_sum(node: Any, total: np.ndarray, shapes: list) -> np.ndarray:
    (shape,) = shapes
    share = total if node.name().startswith("Sum") else total / max(math.prod(shape), 1)
    return np.broadcast_to(share.reshape(-1, *[1] * len(shape)), (len(total), *shape))


@rule("upstream.Mm")
def _of_product(node: Any, total: np.ndarray, shapes: list) -> tuple:
    return of_product(total, *node.saved_tensors, *shapes)


@rule("upstream.Mv")
def _of_vector(node: Any, total: np.ndarray, shapes: list) -> tuple:
    a, x = node.saved_tensors
    return None if shapes[0] is None else total[:, :, None] * x, None if shapes[1] is None else total @ a


@rule("upstream.Dot")
def _of_dot(node: Any, total: np.ndarray, shapes: list) -> tuple:
    a, b = node.saved_tensors
    return tuple([None if shape is None else total[:, None] * item for shape, item in zip(shapes, (b, a), strict=True)])


@rule("ops.linalg.Addmm")
def _of_sum_and_product(node: Any, total: np.ndarray, shapes: list) -> tuple:
    (a, b), (of_c, of_a, of_b) = node.saved_tensors or (None, None), shapes
    shares = (None if of_c is None else total, *of_product(total, a, b, of_a, of_b))
    factors = (node.beta, node.alpha, node.alpha)
    return tuple(
        [
            share if share is None or factor == 1 else (share * factor).astype(share.dtype)
            for share, factor in zip(shares, factors, strict=True)
        ]
    )


rule("ops.linalg.Baddbmm")(row_by_row)


def of_product(total: np.ndarray, a: Any, b: Any, of_a: Any, of_b: Any) -> tuple:
    """The shares of A and B for A @ B, where their shapes say that they are wanted: G Bᵀ in one product, and Aᵀ G."""
    rows, n, m = total.shape
    share = None if of_a is None else (total.reshape(rows * n, m) @ b.T).reshape(rows, n, len(b))
    return share, None if of_b is None else a.T @ total
