"""What torch calls the values that each kind of node keeps: `_saved_self`, `_saved_dim`, `_saved_exponent` and so on.

Programs that draw graphs ask for them. The engine's nodes keep the same values under names of their own, and some not
at all: a shape can be read off the input. Loaded when a program first asks.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import checks, errstate
from minigrad.runtime import nodes, saved, state
from minigrad.runtime.multi_output import OutputGrads
from minigrad.tensor import Tensor, constant

OF_NODES = {
    "self": "Abs Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Log10 Log1P Log2 Log NanToNum Silu Sin Sinh",
    "result": "Exp2 Exp Expm1 Reciprocal Relu Rsqrt Sigmoid Sqrt Tan Tanh",
    "result self": "Max1 Median Min1 Prod",
    "other self": "Atan2 Div Maximum Minimum Mul LinalgCross",
    "alpha": "Add Rsub Rsub1 Sub",
    "exponent self": "Pow",
    "exponent result self": "Pow1 Pow2",
    "mat2 mat2_sym_sizes mat2_sym_strides self self_sym_sizes self_sym_strides": "Mm",
    "alpha beta mat1 mat1_sym_sizes mat1_sym_strides mat2 mat2_sym_sizes mat2_sym_strides": "Addmm",
    "alpha beta mat vec": "Addmv",
    "alpha batch1 batch2 beta": "Baddbmm",
    "mat2 self": "Bmm",
    "self vec": "Mv",
    "self tensor": "Dot",
    "self_sym_sizes": "Expand Squeeze Sum Trace UnsafeView View ReshapeAlias",
    "dim keepdim self_sym_sizes": "Sum1",
    "self_sym_numel self_sym_sizes": "Mean",
    "dim keepdim self_sym_numel self_sym_sizes": "Mean1",
    "correction dim keepdim result self": "Std",
    "correction dim keepdim self": "Var",
    "dim keepdim result self": "Amax Amin Prod1",
    "dim keepdim ord result self": "LinalgVectorNorm",
    "dim": "Cat Cumsum Stack Unbind Unsqueeze",
    "dim result": "LogSoftmax Softmax",
    "dim result self": "Cumprod",
    "dim indices keepdim self_sym_sizes": "Max Min Median1",
    "dim indices self_sym_sizes": "Sort Sort1 Topk",
    "dim self_sym_sizes": "Squeeze1",
    "dim self_sym_sizes split_size": "Split",
    "dim self_sym_sizes split_sizes": "SplitWithSizes",
    "dim0 dim1": "Transpose",
    "dims": "Flip Permute",
    "dims shifts": "Roll",
    "repeats self_sym_sizes": "Repeat",
    "dim index self_sym_sizes": "Select IndexSelect",
    "dim end self_sym_sizes start step": "Slice",
    "indices self_sym_sizes": "Index",
    "dim index self sparse_grad": "Gather",
    "dim index": "Scatter Scatter1 ScatterAdd",
    "alpha dim index": "IndexAdd",
    "index self": "Take",
    "mask self": "MaskedSelect",
    "mask": "MaskedFill MaskedFill1",
    "condition": "Where",
    "max min self": "Clamp Clamp1",
    "min self": "ClampMin ClampMin1",
    "max self": "ClampMax ClampMax1",
    "diagonal": "Tril Triu",
    "dim1 dim2 offset": "DiagEmbed",
    "dim1 dim2 offset self_sym_sizes": "Diagonal",
    "dimension self_sym_sizes size step": "Unfold",
    "tensor1 tensor2 value": "Addcdiv Addcmul",
    "weight": "Lerp",
    "end self weight": "Lerp1",
    "approximate self": "Gelu",
    "alpha input_scale scale self": "Elu",
    "negative_slope self": "LeakyRelu",
    "reduction self target": "MseLoss",
    "beta reduction self target": "SmoothL1Loss",
    "delta reduction self target": "HuberLoss",
    "reduction self target weight": "BinaryCrossEntropy NllLoss NllLoss2D",
    "pos_weight reduction self target weight": "BinaryCrossEntropyWithLogits",
    "indices padding_idx scale_grad_by_freq sparse weight_sym_argsize_0": "Embedding",
    "input normalized_shape": "NativeLayerNorm",
}


def node_name(word: str) -> str:
    """Max1 is MaxBackward1, Max is MaxBackward0; the digits of these names belong to the name."""
    if word in ("Exp2", "Expm1", "Log10", "Log2", "Atan2"):
        return f"{word}Backward0"
    return f"{word[:-1]}Backward{word[-1]}" if word[-1].isdigit() else f"{word}Backward0"


NAMES = {node_name(word): members.split() for members, words in OF_NODES.items() for word in words.split()}
NAMES["DiagonalBackward0_copy"] = NAMES["DiagonalBackward0"]


def names(node: Any) -> list[str]:
    """The names of what the node keeps, in torch's order."""
    return NAMES.get(type(node).__name__, [])


def raw_names(node: Any) -> list[str]:
    """Those among them that are saved tensors."""
    kind = type(node).__name__
    return [name for name in names(node) if name not in HOW and f"{kind}.{name}" not in HOW]


def value(node: Any, name: str) -> Any:
    """What the node keeps under torch's name. RuntimeError if it is freed, or changed in place since."""
    kind = type(node).__name__
    for key in (f"{kind}.{name}", name):
        if key in HOW:
            found = HOW[key](node)
            return found % 2**64 if key in UNSIGNED else found
    saved.demand(node)
    roles = checks.roles(node)
    if name not in roles:
        return None
    place = roles.index(name)
    leaf.check_versions(node)
    return as_tensor(node, saved.demand(node)[place])


def as_tensor(node: Any, value: Any) -> Any:
    """A saved value as the program sees it: numbers that stood beside a tensor are tensors too."""
    if value is None or isinstance(value, Tensor):
        return value
    return value.again(node) if hasattr(value, "again") else Tensor._of(np.asarray(value))


# --- what is no saved tensor ---------------------------------------------------------------------


def size(node: Any, place: int = 0) -> tuple | None:
    """The shape of an input: of what made it, or of what is saved of it."""
    target = node.edges[place]
    given = saved.demand(node)[place : place + 1] if target is None else (target,)
    return next((tuple(np.shape(getattr(each, "_array", each))) for each in given if each is not None), None)


def input_size(node: Any) -> tuple | None:
    """The shape of the first input."""
    return tuple(node.input_shape) if hasattr(node, "input_shape") else size(node)


def strides(node: Any, place: int, position: int) -> tuple:
    """How many entries lie between neighbours along each axis of a matrix; () for one that needs no gradient."""
    target = node.edges[place]
    if target is None:
        return ()
    kept = saved.demand(node)[position]
    array = target._array if isinstance(target, Tensor) else None if kept is None else kept._array
    if array is not None:
        return tuple([step // array.itemsize for step in array.strides])
    rows, columns = target.shape
    return (1, rows) if type(target).__name__ == "TBackward0" else (columns, 1)


def keeps_axes(node: Any) -> bool:
    """Whether the axes that were summed over are still there."""
    shape = node.shape[0] if node.shape and isinstance(node.shape[0], tuple) else node.shape
    whole = input_size(node)
    return bool(whole) and len(shape) == len(whole or ())


def axes_or_none(node: Any) -> tuple | None:
    """The axes; None for all of them."""
    return None if len(node.axes) == len(size(node) or ()) else tuple(node.axes)


def squeezed(node: Any) -> int:
    """The axis that is no longer there."""
    before = node.input_shape
    axes = [axis for axis, length in enumerate(before) if length == 1]
    return next((each for each in axes if before[:each] + before[each + 1 :] == node.shape), 0)


def slice_end(node: Any) -> int:
    """Where a slice ends; the largest number for the end of the axis."""
    return node.piece.stop if node.piece.stop < node.input_shape[node.axis] else 2**63 - 1


def indices(node: Any) -> tuple:
    """The tensors of an index, None for an axis of which all is taken."""
    rest = [*node.index.tensors]
    if node.index.is_one_mask:
        return tuple(rest)
    return tuple([None if isinstance(each, slice) else rest.pop(0) for each in node.index.arrays])


def optional(attribute: str) -> Callable:
    """An array that may not be there, as a Tensor."""

    def getter(node: Any) -> Any:
        array = getattr(node, attribute)
        return array if array is None or isinstance(array, Tensor) else Tensor._of(np.asarray(array))

    return getter


def fixed(attribute: str, default: Any = 1) -> Callable:
    """A setting, which a node without one has by default."""
    return lambda node: getattr(node, attribute, default)


def swapped(node: Any) -> list[int]:
    """The two axes that change places."""
    return [axis for axis, source in enumerate(node.axes) if axis != source] or [0, 0]


UNSIGNED = (
    "SelectBackward0.index",
    "diagonal",
    "offset",
    "padding_idx",
    "start",
)  # torch shows -1 as 18446744073709551615
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
HOW: dict[str, Callable] = {
    "alpha": fixed("alpha"),
    "beta": fixed("beta"),
    "approximate": lambda node: node.approximate,
    "correction": lambda node: None if node.whole and node.correction == 1 else node.correction,
    "delta": lambda node: node.delta,
    "diagonal": lambda node: node.diagonal,
    "dim": lambda node: node.axis if hasattr(node, "axis") else tuple(node.axes),
    "dim0": lambda node: swapped(node)[0],
    "dim1": lambda node: node.axes[0],
    "dim2": lambda node: node.axes[1],
    "dimension": lambda node: node.axis,
    "dims": lambda node: tuple(node.axes),
    "end": slice_end,
    "input_scale": fixed("input_scale"),
    "keepdim": keeps_axes,
    "mat1_sym_sizes": lambda node: (
        size(node, 1) if node.edges[1] is not None else tuple(saved.demand(node)[0]._array.shape)
    ),
    "mat1_sym_strides": lambda node: strides(node, 1, 0),
    "mat2_sym_sizes": lambda node: size(node, 1),
    "mat2_sym_strides": lambda node: strides(node, 1, 1),
    "negative_slope": lambda node: node.slope,
    "normalized_shape": lambda node: tuple([node.shape[axis] for axis in node.axes]),
    "offset": lambda node: node.offset,
    "ord": lambda node: node.p,
    "padding_idx": lambda node: node.padding,
    "pos_weight": optional("pos_weight"),
    "reduction": lambda node: REDUCTIONS[node.reduction],
    "repeats": lambda node: tuple(node.counts),
    "scale": fixed("scale"),
    "scale_grad_by_freq": fixed("scale_grad_by_freq", False),
    "self_sym_numel": lambda node: math.prod(input_size(node) or ()),
    "self_sym_sizes": input_size,
    "self_sym_strides": lambda node: strides(node, 0, 0),
    "shifts": lambda node: tuple(node.shifts),
    "size": lambda node: node.size,
    "sparse": fixed("sparse", False),
    "sparse_grad": fixed("sparse_grad", False),
    "split_size": lambda node: node.shape[0][node.axis],
    "split_sizes": lambda node: tuple([shape[node.axis] for shape in node.shape]),
    "start": lambda node: node.piece.start,
    "step": lambda node: node.step if hasattr(node, "step") else node.piece.step or 1,
    "value": lambda node: node.value,
    "weight_sym_argsize_0": lambda node: node.size[0],
    "AddmmBackward0.mat2_sym_sizes": lambda node: (
        size(node, 2) if node.edges[2] is not None else tuple(saved.demand(node)[1]._array.shape)
    ),
    "AddmmBackward0.mat2_sym_strides": lambda node: strides(node, 2, 1),
    "BinaryCrossEntropyBackward0.weight": optional("weight"),
    "BinaryCrossEntropyWithLogitsBackward0.weight": optional("weight"),
    "AmaxBackward0.dim": lambda node: axes_or_none(node) or (),
    "AminBackward0.dim": lambda node: axes_or_none(node) or (),
    "ClampBackward1.max": lambda node: node.high,
    "ClampBackward1.min": lambda node: node.low,
    "ClampMaxBackward0.max": lambda node: node.high,
    "ClampMinBackward0.min": lambda node: node.low,
    "DiagEmbedBackward0.dim1": lambda node: 2**64 - 2,
    "DiagEmbedBackward0.dim2": lambda node: 2**64 - 1,
    "EmbeddingBackward0.indices": optional("rows"),
    "IndexBackward0.indices": indices,
    "LerpBackward0.weight": lambda node: node.weight,
    "LerpBackward1.end": lambda node: saved_as(node, "end"),
    "LinalgVectorNormBackward0.dim": axes_or_none,
    "NativeLayerNormBackward0.input": lambda node: saved_as(node, "self"),
    "PowBackward0.exponent": lambda node: node.exponent,
    "PowBackward2.self": lambda node: node.base,
    "SelectBackward0.dim": lambda node: len(node.index) - 2,
    "SelectBackward0.index": lambda node: node.index[-2],
    "SqueezeBackward1.dim": squeezed,
    "StdBackward0.dim": lambda node: None if node.whole else tuple(node.axes),
    "SubBackward0.alpha": lambda node: -getattr(node, "alpha", -1),
    "TransposeBackward0.dim1": lambda node: swapped(node)[1],
    "VarBackward0.dim": lambda node: None if node.whole else tuple(node.axes),
}


def saved_as(node: Any, role: str) -> Any:
    """A saved tensor by the name that the engine has for it."""
    return as_tensor(node, saved.demand(node)[checks.roles(node).index(role)])


# --- calling a node ------------------------------------------------------------------------------


def called(node: Any, grads: tuple, keywords: dict) -> Any:
    """The gradients of a node's inputs from those of its results, each a Tensor or None; one alone is no tuple.

    No hook runs, nothing is freed, and a gradient is not yet summed to the shape of its input. TypeError for arguments
    that are no tensors, or too few.
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
    found = [*found] if isinstance(found, (tuple, list)) else [found]
    shares = [
        None if target is None or each is None else as_tensor(node, each)
        for target, each in zip(node.edges, found, strict=False)
    ]
    return shares[0] if len(shares) == 1 else tuple(shares)


# --- the attributes themselves -------------------------------------------------------------------


class Saved:
    """`_saved_self`, `_saved_result`, `_saved_exponent` and the like: what a node keeps, under torch's names."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node: Any, kind: type) -> Any:
        if self.name not in names(node):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_saved_{self.name}'")
        return value(node, self.name)


class RawSaved(Saved):
    """`_raw_saved_self` and the like: the same as something that takes hooks, if it is a tensor."""

    def __get__(self, node: Any, kind: type) -> Any:
        from minigrad.autograd import saved_hooks  # loaded when a program asks for it

        if self.name not in raw_names(node):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_raw_saved_{self.name}'")
        return saved_hooks.SavedTensor(node, self.name)


# Each is there for every node, and says of most that there is none: a `__getattr__` would make every attribute slower.
SAVED = """
    alpha approximate batch1 batch2 beta condition correction delta diagonal dim dim0 dim1 dim2 dimension dims end
    exponent index indices input input_scale keepdim mask mat mat1 mat1_sym_sizes mat1_sym_strides mat2 mat2_sym_sizes
    mat2_sym_strides max min negative_slope normalized_shape offset ord other padding_idx pos_weight reduction repeats
    result scale scale_grad_by_freq self self_sym_numel self_sym_sizes self_sym_strides shifts size sparse sparse_grad
    split_size split_sizes start step target tensor tensor1 tensor2 value vec weight weight_sym_argsize_0
"""
for _name in SAVED.split():
    setattr(nodes.Node, f"_saved_{_name}", Saved(_name))
    setattr(nodes.Node, f"_raw_saved_{_name}", RawSaved(_name))


def listed(node: nodes.Node) -> list[str]:
    """What `dir(node)` shows: what every node has, and the names of what this one keeps."""
    saved = [f"_saved_{name}" for name in names(node)]
    return [*dir(object), *nodes.PUBLIC, *saved, *[f"_raw_saved_{name}" for name in raw_names(node)]]


nodes.Node.__dir__ = listed  # type: ignore[assignment, method-assign]
nodes.Node._called = called  # type: ignore[attr-defined]
