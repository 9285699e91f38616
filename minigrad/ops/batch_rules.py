"""How operations work on all entries of a batch at once: the rules of `passing.batched`, each from an operation, the
batch, all entries of its inputs (or inputs that are the same for all), which of them are which, and its settings.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import scalar, upstream
from minigrad.ops import linalg, permuting, reduction
from minigrad.ops.shaping import SqueezeDim, expand, reshape
from minigrad.passing.batched import Batch, Batched, Rule, Unbatchable, batch_of, each_alone
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
def entrywise(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    if len(values) == 1:
        return operation.apply(*values, **settings)
    if not have_one_dtype(values):
        return each_alone(operation, batch, values, flags, settings)
    return operation.apply(*aligned(values, flags), **settings)


@rule("ops.comparison.Question")
def of_question(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    """What it asks is a function, of which it is known for numpy's own that it goes entry by entry."""
    own = entrywise if isinstance(settings["ask"], np.ufunc) else each_alone
    return own(operation, batch, values, flags, settings)


@rule("ops.operands.Recorded")
def of_recorded(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    share = values[0] if flags[0] else batch.whole(values[0])
    return operation.apply(*aligned([share, *values[1:]], [True, *flags[1:]]), **settings)


@rule("ops.where_clamp.Where", "ops.where_clamp.MaskedFill")
def of_choice(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    """The condition, or the mask, is a setting, and may be an entry as well."""
    name = next(key for key in settings if key in ("condition", "mask"))
    given = settings[name]
    if batch_of([given]) not in (None, batch) or not have_one_dtype(values):
        raise Unbatchable
    is_entry = type(given) is Batched
    *values, given = aligned([*values, given.whole if is_entry else given], [*flags, is_entry])
    return operation.apply(*values, **{**settings, name: given})


# --- along axes ----------------------------------------------------------------------------------


def by_axis(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    """Along one axis of an entry, or several: each counts one more."""
    values = [item if flag else batch.whole(item) for item, flag in zip(values, flags, strict=True)]
    later = {name: shifted(value) if name in ("axis", "axes") else value for name, value in settings.items()}
    return operation.apply(*values, **later)


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
def of_squeezed(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    return SqueezeDim.apply(*values, axes=shifted(settings["axes"]))


@rule("ops.slicing.Uncut")
def of_uncut(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    inner = settings["settings"]
    if RULES.get(f"ops.slicing.{operation.cut.__name__}") is not by_axis:
        return each_alone(operation, batch, values, flags, settings)
    shape = (batch.size, *settings["shape"])
    return operation.apply(*values, shape=shape, settings={**inner, "axis": shifted(inner["axis"])})


@rule("ops.permuting.Permute")
def of_permuted(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    return operation.apply(*values, axes=(0, *shifted(settings["axes"])))


@rule("ops.shaping.View", "ops.shaping.UnsafeView")
def of_view(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    return reshape(values[0], (batch.size, *settings["shape"]))


@rule("ops.shaping.Expand")
def of_expanded(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    shape = settings["shape"]
    first, *rest = values[0]._array.shape
    return expand(reshape(values[0], (first, *[1] * (len(shape) - len(rest)), *rest)), (first, *shape))


@rule("upstream.Sum", "upstream.Mean")
def of_all(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    (a,) = values
    if a.ndim == 1:
        return reshape(a, a._array.shape)
    kind = reduction.SumDim if operation.__name__ == "Sum" else reduction.MeanDim
    return kind.apply(a, axes=tuple(range(1, a.ndim)), keepdim=False, dtype=None)


# --- products ------------------------------------------------------------------------------------


@rule("upstream.Dot")
def of_dot(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    a, b = values
    if not all(flags):
        return upstream.Mv.apply(a, b) if flags[0] else upstream.Mv.apply(b, a)
    return linalg.Bmm.apply(a.unsqueeze(1), b.unsqueeze(2)).squeeze(2).squeeze(1)


@rule("upstream.Mv")
def of_vector(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    a, x = values
    if not flags[0]:
        return upstream.Mm.apply(x, permuting.t(a))
    if not flags[1]:
        return linalg.matmul(a, x)
    return linalg.Bmm.apply(a, x.unsqueeze(2)).squeeze(2)


@rule("upstream.Mm")
def of_product(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    return product(batch, *values, *flags)


def product(batch: Batch, a: Tensor, b: Tensor, of_a: bool, of_b: bool) -> Tensor:
    """A @ B of two matrices, at least one of which is an entry."""
    if of_b:
        return linalg.Bmm.apply(a if of_a else batch.whole(a), b)
    rows, n, k = a._array.shape
    return reshape(upstream.Mm.apply(reshape(a, (rows * n, k)), b), (rows, n, b._array.shape[1]))


@rule("ops.linalg.Bmm")
def of_stacks(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    return linalg.matmul(*values)


@rule("ops.linalg.Addmm")
def of_sum_and_product(operation: Any, batch: Batch, values: list, flags: list, settings: dict) -> Any:
    (c, a, b), (of_c, *of) = values, flags
    if not any(of):
        return each_alone(operation, batch, values, flags, settings)
    whole = linalg.by_factor(product(batch, a, b, *of), settings["alpha"])
    if not settings["beta"]:
        return whole
    return scalar.Add.apply(*aligned([whole, linalg.by_factor(c, settings["beta"])], [True, of_c]))


rule("ops.linalg.Baddbmm")(each_alone)

setattr(Tensor, "_batch_rules", RULES)  # noqa: B010  (for `passing.batched`)
