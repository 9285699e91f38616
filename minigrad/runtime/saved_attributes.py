"""A node's saved values under torch's names, such as `_saved_self` and `_saved_dim`; and calling a node.

Programs that draw graphs use them. Values that torch keeps only to save time, or for rare operations, are not here.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import checks, errstate
from minigrad.compat.unsupported import Absent
from minigrad.runtime import nodes, saved, state
from minigrad.runtime.multi_output import OutputGrads
from minigrad.tensor import Tensor, constant

# --- the attributes ------------------------------------------------------------------------------


def input_size(node: Any) -> tuple:
    """The shape of the first input."""
    return tuple(node.input_shape if hasattr(node, "input_shape") else node.edges[0].shape)


def keeps_axes(node: Any) -> bool:
    """Whether the axes that were summed over are kept."""
    shape = node.shape[0] if node.shape and isinstance(node.shape[0], tuple) else node.shape
    return 0 < len(input_size(node)) == len(shape)


def swapped(node: Any) -> list[int]:
    """The two axes that are swapped."""
    return [axis for axis, source in enumerate(node.axes) if axis != source] or [0, 0]


def reduction(node: Any) -> int:
    """How a loss reduces its entries, as torch's number for it."""
    return ("none", "mean", "sum").index(node.reduction)


axis, _axes = operator.attrgetter("axis"), lambda node: tuple(node.axes)
TENSOR = None  # how a saved tensor is found: by its role in `node.saves`
ROWS: tuple[tuple[str, Callable | None, str], ...] = (  # torch's name for a value, how it is found, the nodes with it
    ("self", TENSOR, "Abs Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Log10 Log1P Log2 Log NanToNum Silu Sin Sinh"),
    ("self", TENSOR, "Max1 Median Min1 Prod Prod1 Cumprod Std Var Amax Amin LinalgVectorNorm Gather Take MaskedSelect"),
    ("self", TENSOR, "Atan2 Div Maximum Minimum Mul Pow Pow1 LinalgCross Mm Bmm Mv Dot Lerp1 Gelu Elu LeakyRelu"),
    ("self", TENSOR, "Clamp Clamp1 ClampMin ClampMin1 ClampMax ClampMax1 MseLoss SmoothL1Loss HuberLoss"),
    ("self", TENSOR, "BinaryCrossEntropy BinaryCrossEntropyWithLogits NllLoss NllLoss2D"),
    ("self", lambda node: node.base, "Pow2"),
    ("other", TENSOR, "Atan2 Div Maximum Minimum Mul LinalgCross"),
    ("result", TENSOR, "Exp2 Exp Expm1 Reciprocal Relu Rsqrt Sigmoid Sqrt Tan Tanh LogSoftmax Softmax Pow1 Pow2"),
    ("result", TENSOR, "Max1 Median Min1 Prod Prod1 Cumprod Std Amax Amin LinalgVectorNorm"),
    ("exponent", TENSOR, "Pow1 Pow2"),
    ("exponent", lambda node: node.exponent, "Pow"),
    ("mat1", TENSOR, "Addmm"),
    ("mat2", TENSOR, "Mm Addmm Bmm"),
    ("vec", TENSOR, "Mv"),
    ("tensor", TENSOR, "Dot"),
    ("tensor1", TENSOR, "Addcdiv Addcmul"),
    ("tensor2", TENSOR, "Addcdiv Addcmul"),
    ("condition", TENSOR, "Where"),
    ("mask", TENSOR, "MaskedSelect MaskedFill MaskedFill1"),
    ("index", TENSOR, "IndexSelect Gather Scatter Scatter1 ScatterAdd IndexAdd Take"),
    ("indices", TENSOR, "Max Min Median1 Sort Sort1 Topk"),
    ("min", TENSOR, "Clamp ClampMin1"),
    ("max", TENSOR, "Clamp ClampMax1"),
    ("min", lambda node: node.low, "Clamp1 ClampMin"),
    ("max", lambda node: node.high, "Clamp1 ClampMax"),
    ("target", TENSOR, "MseLoss SmoothL1Loss HuberLoss BinaryCrossEntropy NllLoss NllLoss2D"),
    ("target", TENSOR, "BinaryCrossEntropyWithLogits"),
    ("weight", TENSOR, "Lerp1 NllLoss NllLoss2D"),
    ("alpha", lambda node: getattr(node, "alpha", 1), "Add Rsub Rsub1 Addmm IndexAdd"),
    ("alpha", lambda node: -getattr(node, "alpha", -1), "Sub"),
    ("beta", lambda node: getattr(node, "beta", 1), "Addmm"),
    ("dim", axis, "Cat Cumsum Stack Unbind Unsqueeze LogSoftmax Softmax Prod1 Cumprod Max Min Median1 Sort Sort1"),
    ("dim", axis, "Topk Split SplitWithSizes IndexSelect Slice Gather Scatter Scatter1 ScatterAdd IndexAdd"),
    ("dim", _axes, "Sum1 Mean1"),
    ("dim", lambda node: len(node.index) - 2, "Select"),
    ("index", lambda node: node.index[-2] % 2**64, "Select"),  # torch shows -1 as 18446744073709551615
    ("dims", _axes, "Flip Permute"),
    ("dim0", lambda node: swapped(node)[0], "Transpose"),
    ("dim1", lambda node: swapped(node)[1], "Transpose"),
    ("keepdim", keeps_axes, "Sum1 Mean1 Prod1 Std Var Amax Amin LinalgVectorNorm Max Min Median1"),
    ("reduction", reduction, "MseLoss SmoothL1Loss HuberLoss BinaryCrossEntropy NllLoss NllLoss2D"),
    ("reduction", reduction, "BinaryCrossEntropyWithLogits"),
    ("self_sym_numel", lambda node: math.prod(input_size(node)), "Mean Mean1"),
    ("self_sym_sizes", input_size, "Expand Squeeze Squeeze1 Sum Sum1 Mean Mean1 Slice View UnsafeView ReshapeAlias"),
    ("self_sym_sizes", input_size, "Max Min Median1 Sort Sort1 Topk Split SplitWithSizes Index Select IndexSelect"),
)
NAMES: dict[str, dict[str, Callable | None]] = {}  # by node: its names, and how their values are found


def node_name(word: str) -> str:
    """Max1 is MaxBackward1, Max is MaxBackward0; the digits of these names belong to the name."""
    if word in ("Exp2", "Expm1", "Log10", "Log2", "Atan2") or not word[-1].isdigit():
        return f"{word}Backward0"
    return f"{word[:-1]}Backward{word[-1]}"


class Saved:
    """`_saved_self` and the like: a value."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node: Any, kind: type) -> Any:
        if self.name not in NAMES.get(type(node).__name__, {}):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_saved_{self.name}'")
        return value(node, self.name)


def value(node: Any, name: str) -> Any:
    """What the node keeps under torch's name. RuntimeError if it is freed, or changed in place since."""
    how = NAMES[type(node).__name__][name]
    if how is not TENSOR:
        return how(node)
    kept, roles = saved.demand(node), checks.roles(node)
    if name not in roles:
        return None
    leaf.check_versions(node)
    return as_tensor(node, kept[roles.index(name)])


def as_tensor(node: Any, value: Any) -> Any:
    """A saved value as the program sees it: numbers used with a tensor are tensors as well."""
    if value is None or isinstance(value, Tensor):
        return value
    return value.again(node) if hasattr(value, "again") else Tensor._of(np.asarray(value))


def listed(node: nodes.Node) -> list[str]:
    """The names in `dir(node)`: those of every node, and those of this node's saved values."""
    known = NAMES.get(type(node).__name__, {})
    raw = [f"_raw_saved_{name}" for name, how in known.items() if how is TENSOR]
    return [*dir(object), *nodes.PUBLIC, *[f"_saved_{name}" for name in known], *raw]


# Every node has all of these, and most raise an AttributeError: a `__getattr__` would slow down every attribute.
for _name, _how, _words in ROWS:
    for _word in _words.split():
        NAMES.setdefault(node_name(_word), {})[_name] = _how
    setattr(nodes.Node, f"_saved_{_name}", Saved(_name))
    setattr(nodes.Node, f"_raw_saved_{_name}", Absent(f"_raw_saved_{_name}", "Node"))

# --- calling a node ------------------------------------------------------------------------------


def called(node: Any, grads: tuple, keywords: dict) -> Any:
    """The gradients of a node's inputs from those of its results, each a Tensor or None; a single one is no tuple. No
    hook runs, nothing is freed, and gradients are not yet summed to the shape of their input. TypeError for arguments
    that are not tensors, or too few.
    """
    if keywords:
        raise TypeError("keyword arguments are not supported")
    for index, each in enumerate(grads):
        if each is not None and not isinstance(each, Tensor):
            raise TypeError(f"argument {index} is not a Variable")
    accumulates = isinstance(node, nodes.AccumulateGrad)
    several = not accumulates and bool(node.shape) and isinstance(node.shape[0], tuple)
    expected = node.expects() if several else 1
    if len(grads) != expected:
        raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
    given = {index: each if leaf.recording else each._array for index, each in enumerate(grads) if each is not None}
    if accumulates:
        if given and node.variable._requires_grad:
            leaf.accumulate(node.variable, constant(grads[0]._array))
        return ()
    found: Any = (None,) * len(node.edges)
    token = errstate.STATE.set(errstate.IGNORE)
    running, state.running = state.running, True
    try:
        if given and type(node).backward is scalar.Function.backward:  # CopySlices
            found = node.vjp(given[0], True)
        elif given:
            found = node.backward(node, *(OutputGrads(given).complete(node) if several else [given[0]]))
    finally:
        errstate.STATE.reset(token)
        state.running = running
    found = found if isinstance(found, (tuple, list)) else [found]
    edges = zip(node.edges, found, strict=False)
    shares = [None if target is None else as_tensor(node, each) for target, each in edges]
    return shares[0] if len(shares) == 1 else tuple(shares)


nodes.Node.__dir__ = listed  # type: ignore[assignment, method-assign]
nodes.Node._called = called  # type: ignore[attr-defined]
