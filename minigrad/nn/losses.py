"""The losses as functions: they check their arguments, and apply one node or combine operations.
`reduction` is "mean", "sum", or "none" for a loss per entry or row; `size_average` and `reduce` are its old form.
Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, typenames
from minigrad.compat.messages import warn
from minigrad.compat.typenames import demand_kernel, demand_tensor
from minigrad.nn import fused
from minigrad.ops import elementary, functions, softmax
from minigrad.recording import saved
from minigrad.scalar import Function
from minigrad.tensor import Tensor

NAMES = """
    mse_loss l1_loss smooth_l1_loss huber_loss nll_loss cross_entropy
    binary_cross_entropy binary_cross_entropy_with_logits hinge_embedding_loss margin_ranking_loss
"""
__all__ = NAMES.split()
Weight = Tensor | None
Flag = bool | None


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Weight = None,
) -> Tensor:
    """(input - target)². With weights of the input's shape times these, and their mean is divided by Σ weight. A
    UserWarning if the sizes differ, RuntimeError if they cannot be broadcast.
    """
    if weight is not None:
        return _of_weighted(lambda d: d**2, input, target, weight, (size_average, reduce), reduction)
    reduction = _reduction(size_average, reduce, reduction)
    return _of_difference(fused.MseLoss, "mse_cpu", input, target, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Weight = None,
) -> Tensor:
    """|input - target|. With weights of the input's shape times these, and their mean is divided by Σ weight. A
    UserWarning if the sizes differ, RuntimeError if they cannot be broadcast.
    """
    if weight is not None:
        return _of_weighted(functions["abs"], input, target, weight, (size_average, reduce), reduction)
    reduction = _reduction(size_average, reduce, reduction)
    input, target = _of_one_size(input, target)
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """(input - target)² / (2 · beta) below beta, |input - target| - beta / 2 above. RuntimeError for beta < 0."""
    reduction = _reduction(size_average, reduce, reduction)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return _of_difference(fused.SmoothL1Loss, "smooth_l1_cpu", input, target, reduction, extra=beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Weight = None
) -> Tensor:
    """(input - target)² / 2 up to delta, delta · (|input - target| - delta / 2) above; times weights of the input's
    shape, whose mean is divided by the count. RuntimeError for delta <= 0.
    """
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if weight is not None:
        apart = _of_difference(fused.HuberLoss, "huber_cpu", input, target, "none", extra=delta)
        return _weighted(apart, weight, input, reduction, None)
    return _of_difference(fused.HuberLoss, "huber_cpu", input, target, _reduction(None, None, reduction), extra=delta)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Weight = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target · log input + (1 - target) · log(1 - input)) for probabilities; no logarithm counts less than -100.
    ValueError if the sizes differ, RuntimeError outside [0, 1] or for two dtypes.
    """
    reduction = _reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        sizes = f"a target size ({target.size()}) that is different to the input size ({input.size()})"
        raise ValueError(f"Using {sizes} is deprecated. Please ensure they have the same size.")
    demand_constant("binary_cross_entropy", weight=weight)
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.scalar_type} but expected {input.dtype.scalar_type}")
    for name, each in (("input", input), ("target", target)):
        if not ((each._array >= 0) & (each._array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return fused.BinaryCrossEntropy.apply(input, target, reduction=reduction, weight=_weights(weight, input))


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Weight = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Weight = None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(input), safe for large logits, with its errors; `pos_weight` times target 1's."""
    reduction = _reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    demand_constant("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if input.dtype.is_floating_point and not target.dtype.is_floating_point:
        kinds = input.dtype.scalar_type, target.dtype.scalar_type
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*kinds))
    demand_kernel("log_sigmoid_cpu", input.dtype)
    weights = {"weight": _weights(weight, input), "extra": _weights(pos_weight, input, first=True)}
    result = fused.BinaryCrossEntropyWithLogits.apply(input, target, reduction=reduction, **weights)
    return saved.guard(result, weight, pos_weight)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """input where the target is 1, max(margin - input, 0) where it is -1."""
    reduction = _reduction(size_average, reduce, reduction)
    demand_tensor("hinge_embedding_loss", input)
    demand_tensor("hinge_embedding_loss", target, "target", 2)
    where = functions["where"]
    apart = (margin - input).clamp_min_(0)
    return _reduced(where(target == 1, 0, apart) + where(target == -1, 0, input), reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(margin - target · (input1 - input2), 0), for a target of 1 where input1 is to be larger, else -1.
    RuntimeError for different numbers of dimensions.
    """
    reduction = _reduction(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        expected = "All input tensors should have same dimension but got sizes: "
        sizes = f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        raise RuntimeError(f"margin_ranking_loss : {expected}{sizes}")
    return _reduced((-target * (input1 - input2) + margin).clamp_min_(0), reduction)


def divergence(input: Tensor, target: Tensor, average: Flag, reduce: Flag, reduction: str, log_target: bool) -> Tensor:
    """`kl_div`: "batchmean" divides by the number of rows, "mean" by that of entries, about which torch warns."""
    by_rows = reduction == "batchmean"
    if reduction == "mean" and average is None and reduce is None:
        divides = "divides the total loss by both the batch size and the support size.'batchmean' divides only by the"
        later = "will be changed to behave the same as 'batchmean' in the next major release."
        warn(f"reduction: 'mean' {divides} batch size, and aligns with the KL div math definition.'mean' {later}")
    reduction = _reduction(average, reduce, "sum" if by_rows else reduction)
    if not input.dtype.is_floating_point or not target.dtype.is_floating_point:
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = functions["xlogy"](target, target) - target * input
    total = _reduced(losses, reduction)
    return total / input.shape[0] if by_rows and input.ndim else total


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Weight = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[row, target[row]]: input (rows, classes) of log-probabilities, target (rows) of class numbers; or
    (classes) and one target, or (rows, classes, …) and (rows, …). `weight`, one number for each class, weights the mean
    as well. IndexError for a class that is not there, ValueError or RuntimeError for shapes that do not fit or targets
    other than int64.
    """
    reduction = _reduction(size_average, reduce, reduction)
    demand_tensor("nll_loss_nd", input)
    demand_tensor("nll_loss_nd", target, "target", 2)
    return _of_classes(input, target, weight, ignore_index, reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Weight = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss of log_softmax(input), with its errors: input (rows, classes) of logits, target (rows) of class numbers,
    or of the input's shape and probabilities. `label_smoothing` s counts the target 1 - s, all classes s.
    """
    reduction = _reduction(size_average, reduce, reduction)
    demand_tensor("cross_entropy_loss", input)
    demand_tensor("cross_entropy_loss", target, "target", 2)
    of_classes = input._array.shape != target._array.shape
    if not of_classes and not target.dtype.is_floating_point:
        got = target.dtype.scalar_type
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {got}")
    if not of_classes and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    axis = 0 if input._array.ndim == 1 else 1
    log = softmax.log_softmax(input, axis)
    if not of_classes:
        return _of_probabilities(log, target, weight, reduction, label_smoothing, axis)
    hard = _of_classes(log, target, weight, ignore_index, reduction)
    if label_smoothing > 0:
        return _smoothed(log, target, weight, ignore_index, reduction, hard, label_smoothing)
    node = hard._made_by
    if node is not None and log._array.ndim == 2 and reduction != "none":
        node.alone = True  # the only one that uses these logarithms
    return hard


# --- how they are put together -------------------------------------------------------------------
def _of_difference(
    node: type[Function], kernel: str, input: Tensor, target: Tensor, reduction: str, **extra: float
) -> Tensor:
    """A loss of input - target with one node."""
    input, target = _of_one_size(input, target)
    demand_kernel(kernel, input.dtype, target.dtype)
    return node.apply(input, target, reduction=reduction, **extra)


def _of_classes(input: Tensor, target: Tensor, weight: Weight, ignore_index: int, reduction: str) -> Tensor:
    """`nll_loss` of tensors with a known reduction."""
    have, want = input._array.shape, target._array.shape
    if len(have) != 2 or have[:1] != want:
        _demand_places(have, want)
    if target._array.dtype.type not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.scalar_type}")
    name = "nll_loss" if len(have) <= 2 else "nll_loss2d"
    if weight is not None:
        demand_constant(f"{name}_forward", weight=weight)
        _demand_class_weights(weight, input, "")
    if input._array.dtype.kind != "f":
        demand_kernel(f"{name}{'' if len(have) <= 2 else '_forward'}_out_frame", input.dtype)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_type} but found {weight.dtype.scalar_type}")
    places = np.asarray(target._array).astype(np.int64).reshape(want if len(have) > 1 else ())
    as_image = len(have) not in (1, 2, 4)
    if as_image:
        image = (1, -1) if input._array.size else (0, 0)
        input, places = input.contiguous().view((*have[:2], *image)), places.reshape(have[0], *image)
    choice = (places, None if weight is None else weight._array, ignore_index, reduction)
    result = (fused.NllLoss if len(have) <= 2 else fused.NllLoss2D).apply(input, choice=choice)
    result = saved.guard(result, target, weight)
    return result.view(want) if as_image and reduction == "none" else result


def _of_probabilities(
    log: Tensor, target: Tensor, weight: Weight, reduction: str, smoothing: float, axis: int
) -> Tensor:
    """-Σ target · log, for each row; the mean divides by the number of rows."""
    classes = max(log.shape[axis], 1)
    _demand_class_weights(weight, log, "cross_entropy: ")
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    product = log * target if weight is None else log * target * _beside_classes(weight, log, axis)
    if reduction == "none":
        return -product.sum(axis)
    total = -product.sum()
    return total if reduction == "sum" else elementary.Portion.apply(total, parts=log.numel() // classes)


def _smoothed(
    log: Tensor, target: Tensor, weight: Weight, ignored: int, reduction: str, hard: Tensor, smoothing: float
) -> Tensor:
    """(1 - s) · the loss of the target, plus s / classes · the losses of all classes together."""
    axis = 0 if log.ndim == 1 else 1
    every = -(log if weight is None else log * _beside_classes(weight, log, axis)).sum(axis)
    left_out = target.eq(ignored)
    every = every.masked_fill(left_out.reshape(every.shape), 0.0)
    if reduction != "none":
        every = every.sum()
    if reduction == "mean":
        kept = target._array[~left_out._array]
        total = np.asarray(kept.size) if weight is None else np.asarray(weight._array[kept].sum())
        every = every / Tensor._of(total)
    of_target = elementary.Scale.apply(hard, factor=1 - smoothing)
    return of_target + elementary.Scale.apply(every, factor=smoothing / log.shape[axis])


def _beside_classes(weight: Tensor, log: Tensor, axis: int) -> Tensor:
    return weight.view([-1 if index == axis else 1 for index in range(log.ndim)])


def broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both in their common shape; one that already has it is unchanged. RuntimeError if there is none."""
    checks.demand_broadcast([a._array, b._array])
    shape = np.broadcast_shapes(a._array.shape, b._array.shape)
    return a if a.shape == shape else a.expand(shape), b if b.shape == shape else b.expand(shape)


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    """The losses of all entries, or their sum or mean."""
    return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()


def _of_weighted(
    loss: Callable, input: Tensor, target: Tensor, weight: Tensor, old: tuple[Flag, Flag], reduction: str
) -> Tensor:
    """The weighted losses of input - target, reduced; `old` are the two old arguments for how."""
    first, second = _of_one_size(input, target)
    reduction = old_reduction(*old) if old != (None, None) else reduction
    return _weighted(loss(first - second), weight, input, reduction, weight)


def _weighted(losses: Tensor, weight: Tensor, input: Tensor, reduction: str, total: Weight) -> Tensor:
    """The weighted losses, their sum, or their mean by `total` or by their count. ValueError for another shape."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    if reduction == "mean" and total is not None:
        return (losses * weight).sum() / total.sum()
    return _reduced(losses * weight, reduction)


# --- what they ask of their arguments ------------------------------------------------------------
def _reduction(size_average: Flag, reduce: Flag, reduction: str) -> str:
    """The reduction given by the arguments. ValueError for an unknown one."""
    if size_average is not None or reduce is not None:
        return old_reduction(size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def old_reduction(size_average: Flag, reduce: Flag) -> str:
    """The reduction given by the two old arguments, with a UserWarning. RuntimeError for a Tensor of several."""
    averages, reduces = [item is None or bool(item) for item in (size_average, reduce)]
    meant = "none" if not reduces else "mean" if averages else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.")
    return meant


def _of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in their common shape, with a UserWarning if their sizes differ."""
    typenames.refuse_foreign(target)
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return broadcast(input, target)


def demand_constant(name: str, **arguments: Weight) -> None:
    """RuntimeError if an argument without a derivative would be recorded."""
    for argument, value in arguments.items():
        if value is not None and value.requires_grad and leaf.recording:
            why = f"with respect to argument '{argument}'. This input cannot have requires_grad True."
            raise RuntimeError(f"The function '{name}' is not differentiable {why}")


def _demand_places(have: tuple[int, ...], want: tuple[int, ...]) -> None:
    """ValueError or RuntimeError, in torch's words, unless the shape of the target fits that of the input."""
    if len(have) == 1 and len(want) == 1 and want[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {want[0]}")
    if len(have) > 1 and have[:1] != want[:1]:
        rows = want[0] if want else 0
        raise ValueError(f"Expected input batch_size ({have[0]}) to match target batch_size ({rows}).")
    if len(have) > 2 and want[1:] != have[2:]:
        raise RuntimeError(f"Expected target size {[have[0], *have[2:]]}, got {list(want)}")
    if len(have) <= 2 and len(want) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")


def _demand_class_weights(weight: Weight, input: Tensor, prefix: str) -> None:
    classes = input.shape[0 if input.ndim == 1 else 1]
    if weight is not None and weight.shape != (classes,):
        expected = f"should be defined either for all {classes} classes or no classes"
        raise RuntimeError(f"{prefix}weight tensor {expected} but got weight tensor of shape: {list(weight.shape)}")


def _weights(weight: Weight, input: Tensor, first: bool = False) -> Any:
    """A copy of the weights in the dtype and shape of the input. RuntimeError unless they can be broadcast to it."""
    if weight is None:
        return None
    have, want = weight._array, input._array
    checks.demand_broadcast([have, want] if first else [want, have])
    return np.array(np.broadcast_to(have, want.shape), want.dtype)
