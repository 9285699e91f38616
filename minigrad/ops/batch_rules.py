"""How operations work on all entries of a batch at once: the rules of `passing.batched`. A rule gets a `Call`, with
all entries of each input, and gives all entries of the result.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import scalar, upstream
from minigrad.ops import linalg, permuting, reduction
from minigrad.ops.shaping import SqueezeDim, SqueezeDims, Unsqueeze, expand, reshape
from minigrad.passing.batched import Batch, Batched, Call, Rule, Unbatchable, batch_of, each_alone
from minigrad.tensor import Tensor

RULES: dict[str, Rule] = {}  # by the names of operations


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Decorator: the rule of the operations with these names, and of those that inherit from them."""

    def add(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return add


# --- entry by entry ------------------------------------------------------------------------------


def aligned(values: list, flags: list) -> list:
    """Values that meet entry by entry: an axis of size 1 for each that an entry has not, behind that of the batch."""
    axes = max([item.ndim - flag for item, flag in zip(values, flags, strict=True) if isinstance(item, Tensor)])
    results = []
    for item, flag in zip(values, flags, strict=True):
        if flag and item.ndim - 1 < axes:
            shape = item._array.shape
            item = reshape(item, (shape[0], *[1] * (axes + 1 - len(shape)), *shape[1:]))
        results.append(item)
    return results


def have_one_dtype(values: list) -> bool:
    """Whether the tensors do; the common one of several would depend on how many axes they have."""
    return len({item._array.dtype for item in values if isinstance(item, Tensor)}) < 2


@rule(
    *[f"scalar.{name}" for name in ("Add", "Sub", "Neg", "Mul", "Div", "Pow")],
    *[f"ops.elementary.{name}" for name in ("OfInput", "Unsaved", "Scale", "Portion", "TanhShare", "Relu")],
    *[f"ops.where_clamp.{name}" for name in ("NanToNum", "Clamp", "Maximum")],
    *[
        f"ops.pointwise.{name}"
        for name in ("AddScaled", "PowOfNumber", "PowTensor", "Rsub", "RsubTensor", "SubOfNumber")
    ],
    *[f"ops.ternary.{name}" for name in ("Addcmul", "Atan2", "Hypot", "Lerp", "LerpTensor", "Logaddexp", "Xlogy")],
    *["ops.memory.ToCopy", "ops.shaping.Clone", "ops.slicing.Alias", "nn.fused.Activation", "autograd.levels.Wrapped"],
)
def entrywise(call: Call) -> Any:
    """With the axes of size 1 between that of the batch and those of an entry that broadcasting needs."""
    if len(call.values) == 1:
        return call.operation.apply(*call.values, **call.settings)
    if not have_one_dtype(call.values):
        return each_alone(call)
    return call.operation.apply(*aligned(call.values, call.flags), **call.settings)


@rule("ops.comparison.Question")
def _of_question(call: Call) -> Any:
    """What it asks is a function, of which it is known for numpy's own that it goes entry by entry."""
    own = entrywise if isinstance(call.settings["ask"], np.ufunc) else each_alone
    return own(call)


@rule("ops.operands.Recorded")
def _of_recorded(call: Call) -> Any:
    share = call.values[0] if call.flags[0] else call.batch.whole(call.values[0])
    return call.operation.apply(*aligned([share, *call.values[1:]], [True, *call.flags[1:]]), **call.settings)


@rule("ops.where_clamp.Where", "ops.where_clamp.MaskedFill")
def _of_choice(call: Call) -> Any:
    """The condition, or the mask, is a setting, and may be an entry as well."""
    name = next(key for key in call.settings if key in ("condition", "mask"))
    given = call.settings[name]
    if batch_of([given]) not in (None, call.batch) or not have_one_dtype(call.values):
        raise Unbatchable
    is_entry = type(given) is Batched
    *values, given = aligned([*call.values, given.whole if is_entry else given], [*call.flags, is_entry])
    return call.operation.apply(*values, **{**call.settings, name: given})


# --- along axes ----------------------------------------------------------------------------------


def by_axis(call: Call) -> Any:
    """Along one axis of an entry, or several: each counts one more."""
    values = [item if flag else call.batch.whole(item) for item, flag in zip(call.values, call.flags, strict=True)]
    later = {name: shifted(value) if name in ("axis", "axes") else value for name, value in call.settings.items()}
    return call.operation.apply(*values, **later)


def shifted(axes: Any) -> Any:
    """Axes of an entry in the tensor of all entries."""
    if isinstance(axes, tuple):
        return tuple([shifted(axis) for axis in axes])
    return axes if axes is None or axes < 0 else axes + 1


rule(
    *[f"ops.softmax.{name}" for name in ("Softmax", "LogSoftmax", "LogSoftmaxShare", "Logcumsumexp", "Logsumexp")],
    *[f"ops.reduction.{name}" for name in ("SumDim", "Cumsum", "Cumprod")],
    *[f"ops.shaping.{name}" for name in ("Unsqueeze", "Squeeze")],
    *[f"ops.joining.{name}" for name in ("Stack", "Cat", "Flip")],
    *["ops.slicing.Select", "ops.slicing.Slice", "ops.ordering.Amax", "ops.linalg.Cross"],
)(by_axis)


@rule("ops.shaping.SqueezeInPlace")
def _of_squeezed(call: Call) -> Any:
    return SqueezeDim.apply(*call.values, axes=shifted(call.settings["axes"]))


@rule("ops.slicing.Uncut")
def _of_uncut(call: Call) -> Any:
    inner = call.settings["settings"]
    if RULES.get(f"ops.slicing.{call.operation.cut.__name__}") is not by_axis:
        return each_alone(call)
    shape = (call.batch.size, *call.settings["shape"])
    return call.operation.apply(*call.values, shape=shape, settings={**inner, "axis": shifted(inner["axis"])})


@rule("ops.permuting.Permute")
def _of_permuted(call: Call) -> Any:
    return call.operation.apply(*call.values, axes=(0, *shifted(call.settings["axes"])))


@rule("ops.shaping.View", "ops.shaping.UnsafeView")
def _of_view(call: Call) -> Any:
    return reshape(call.values[0], (call.batch.size, *call.settings["shape"]))


@rule("ops.shaping.Expand")
def _of_expanded(call: Call) -> Any:
    shape = call.settings["shape"]
    first, *rest = call.values[0]._array.shape
    return expand(reshape(call.values[0], (first, *[1] * (len(shape) - len(rest)), *rest)), (first, *shape))


@rule("upstream.Sum", "upstream.Mean")
def _of_all(call: Call) -> Any:
    (a,) = call.values
    if a.ndim == 1:
        return reshape(a, a._array.shape)
    kind = reduction.SumDim if call.operation.__name__ == "Sum" else reduction.MeanDim
    return kind.apply(a, axes=tuple(range(1, a.ndim)), keepdim=False, dtype=None)


# --- products ------------------------------------------------------------------------------------


@rule("upstream.Dot")
def _of_dot(call: Call) -> Any:
    a, b = call.values
    if not all(call.flags):
        return upstream.Mv.apply(a, b) if call.flags[0] else upstream.Mv.apply(b, a)
    return SqueezeDims.apply(linalg.Bmm.apply(Unsqueeze.apply(a, axis=1), Unsqueeze.apply(b, axis=2)), axes=(1, 2))


@rule("upstream.Mv")
def _of_vector(call: Call) -> Any:
    a, x = call.values
    if not call.flags[0]:
        return upstream.Mm.apply(x, permuting.t(a))
    if not call.flags[1]:
        return linalg.matmul(a, x)
    return SqueezeDim.apply(linalg.Bmm.apply(a, Unsqueeze.apply(x, axis=2)), axes=(2,))


@rule("upstream.Mm")
def _of_product(call: Call) -> Any:
    return product(call.batch, *call.values, *call.flags)


def product(batch: Batch, a: Tensor, b: Tensor, of_a: bool, of_b: bool) -> Tensor:
    """A @ B of two matrices, at least one of which is an entry."""
    if of_b:
        return linalg.Bmm.apply(a if of_a else batch.whole(a), b)
    rows, n, k = a._array.shape
    return reshape(upstream.Mm.apply(reshape(a, (rows * n, k)), b), (rows, n, b._array.shape[1]))


@rule("ops.linalg.Bmm")
def _of_stacks(call: Call) -> Any:
    return linalg.matmul(*call.values)


@rule("ops.linalg.Addmm")
def _of_sum_and_product(call: Call) -> Any:
    (c, a, b), (of_c, *of) = call.values, call.flags
    if not any(of):
        return each_alone(call)
    whole = linalg.by_factor(product(call.batch, a, b, *of), call.settings["alpha"])
    if not call.settings["beta"]:
        return whole
    return scalar.Add.apply(*aligned([whole, linalg.by_factor(c, call.settings["beta"])], [True, of_c]))


rule("ops.linalg.Baddbmm")(each_alone)


@functools.lru_cache(maxsize=256)
def rule_of(operation: Any) -> Rule:
    """The rule of an operation, or of the first one that it inherits from that has one."""
    names = [f"{base.__module__.removeprefix('minigrad.')}.{base.__name__}" for base in operation.__mro__]
    return next((RULES[name] for name in names if name in RULES), each_alone)


setattr(Tensor, "_rule_of", staticmethod(rule_of))  # noqa: B010  (for `passing.batched`)
