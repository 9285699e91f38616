"""A node's saved tensors under torch's names, such as `_saved_self` and `_saved_result`; and calling a node.

Programs that draw graphs use them. Of the settings that torch keeps beside them, `_saved_exponent` alone is here.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.arithmetic import errstate
from minigrad.compat import checks
from minigrad.graph import nodes, state
from minigrad.graph.multi_output import OutputGrads
from minigrad.recording import packing, saved
from minigrad.tensor import Tensor

TEXT = """self other result exponent mat1 mat2 vec tensor tensor1 tensor2 condition mask index indices min max end
weight batch1 batch2 target src source"""
NAMES = TEXT.split()

# --- the attributes ------------------------------------------------------------------------------


class Saved:
    """`_saved_self` and the like: a tensor."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node: nodes.Operation, kind: type) -> object:
        if self.name == "exponent" and hasattr(node, "exponent"):
            return node.exponent  # the number of x ** 2
        if self.name not in names(node) and getattr(node, "saved", ()) is not None:
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_saved_{self.name}'")
        return value(node, self.name)


class RawSaved(Saved):
    """`_raw_saved_self` and the like: the place where a node keeps a tensor, which takes hooks."""

    def __get__(self, node: nodes.Operation, kind: type) -> object:
        if getattr(node, "saved", ()) is None:
            return packing.SavedTensor(node, 0)
        if self.name not in names(node):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_raw_saved_{self.name}'")
        return packing.SavedTensor(node, checks.roles(node).index(self.name))


def names(node: nodes.Node) -> list[str]:
    """torch's names for the tensors that the node keeps; none once it is freed."""
    kept = isinstance(node, nodes.Operation) and node.saved is not None
    return [role for role in checks.roles(node) if role in NAMES] if kept else []


def value(node: nodes.Operation, name: str) -> object:
    """What the node keeps under torch's name. RuntimeError if it is freed, or changed in place since."""
    kept = saved.demand(node)
    leaf.check_versions(node)
    return as_shown(node, kept[checks.roles(node).index(name)])


def as_shown(node: nodes.Operation, value: Any) -> Tensor | None:
    """A saved value as the program sees it: numbers used with a tensor are tensors as well."""
    if value is None or isinstance(value, Tensor):
        return value
    return value.again(node) if hasattr(value, "again") else Tensor._of(np.asarray(value))


def listed(node: nodes.Node) -> list[str]:
    """The names in `dir(node)`: those of every node, and those of this node's saved values."""
    own = [*["exponent"] * hasattr(node, "exponent"), *names(node)]
    return [*dir(object), *nodes.PUBLIC, *[f"_saved_{name}" for name in own]]


# Every node has all of these, and most raise an AttributeError: a `__getattr__` would slow down every attribute.
for _name in NAMES:
    setattr(nodes.Node, f"_saved_{_name}", Saved(_name))
    setattr(nodes.Node, f"_raw_saved_{_name}", RawSaved(_name))

# --- calling a node ------------------------------------------------------------------------------


def run_alone(node: nodes.Operation, *grads: Tensor | None) -> object:
    """The gradients of a node's inputs from those of its results, each a Tensor or None; a single one is no tuple. No
    hook runs, nothing is freed, and gradients are not yet summed to the shape of their input. TypeError for arguments
    that are not tensors, or too few.
    """
    for index, each in enumerate(grads):
        if each is not None and not isinstance(each, Tensor):
            raise TypeError(f"argument {index} is not a Variable")
    several = bool(node.shape) and isinstance(node.shape[0], tuple)
    expected = node.expects() if several else 1
    if len(grads) != expected:
        raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
    given = {index: item if leaf.recording else item._array for index, item in enumerate(grads) if item is not None}
    result: Any = (None,) * len(node.edges)
    token = errstate.STATE.set(errstate.IGNORE)
    running, state.running = state.running, True
    try:
        if given and type(node).backward is scalar.Function.backward:  # CopySlices
            result = node.vjp(given[0], True)
        elif given:
            result = node.backward(node, *(OutputGrads(given).complete(node) if several else [given[0]]))
    finally:
        errstate.STATE.reset(token)
        state.running = running
    result = result if isinstance(result, (tuple, list)) else [result]
    edges = zip(node.edges, result, strict=False)
    shares = [None if target is None else as_shown(node, item) for target, item in edges]
    return shares[0] if len(shares) == 1 else tuple(shares)


def accumulate(node: nodes.AccumulateGrad, *grads: Tensor | None) -> tuple:
    """Add a gradient to what the leaf of the node keeps, as a pass does. TypeError for anything but one tensor."""
    if len(grads) != 1:
        raise TypeError(f"expected 1 arguments, got {len(grads)} instead")
    if grads[0] is not None and not isinstance(grads[0], Tensor):
        raise TypeError("argument 0 is not a Variable")
    if grads[0] is not None:
        checks.demand_broadcast([node.variable._array, grads[0]._array])
        with leaf.no_grad():
            leaf.accumulate(node.variable, leaf.detach(grads[0]))
    return ()


nodes.AccumulateGrad._accumulated = accumulate
nodes.Node.__dir__ = listed  # type: ignore[assignment, method-assign]
nodes.Node._called = run_alone
