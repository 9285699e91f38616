"""The losses as functions: they check their arguments, and apply one node or put operations together.

`minigrad.nn.functional` offers them under torch's names.

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks
from minigrad.compat.messages import warn
from minigrad.nn.nodes import loss
from minigrad.nn.typename import demand_kernel, demand_tensor
from minigrad.ops import elementary, softmax
from minigrad.runtime import saved
from minigrad.tensor import Tensor

REDUCTIONS = ("none", "mean", "sum")
SIZES_DIFFER = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due "
    "to broadcasting. Please ensure they have the same size."
)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)², their mean, their sum, or (reduction="none") one for each entry; floating tensors.

    A UserWarning where the sizes differ, RuntimeError if they cannot be broadcast.

    >>> mse_loss(torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0]))
    tensor(5.)
    """
    reduction = _reduction(size_average, reduce, reduction)
    input, target = _of_one_size(input, target)
    if weight is not None:
        return _with_weights((input - target) ** 2, input, weight, reduction)
    _demand_known(reduction)
    demand_kernel("mse_cpu", input, target)
    return loss.MseLoss.apply(input, target, reduction=reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|, their mean, their sum, or one for each entry. A UserWarning where the sizes differ.

    >>> l1_loss(torch.tensor([1.0, -3.0]), torch.tensor([0.0, 0.0]))
    tensor(2.)
    """
    reduction = _reduction(size_average, reduce, reduction)
    input, target = _of_one_size(input, target)
    if weight is not None:
        return _with_weights((input - target).abs(), input, weight, reduction)
    _demand_known(reduction)
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """(input - target)² / (2 · beta) below beta, |input - target| - beta / 2 above. RuntimeError for beta < 0.

    >>> smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    reduction = _reduction(size_average, reduce, reduction)
    input, target = _of_one_size(input, target)
    _demand_known(reduction)
    if beta == 0:
        return _reduced((input - target).abs(), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    demand_kernel("smooth_l1_cpu", input, target)
    return loss.SmoothL1Loss.apply(input, target, reduction=reduction, beta=beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """(input - target)² / 2 up to delta, delta · (|input - target| - delta / 2) above. RuntimeError for delta <= 0.

    >>> huber_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none", delta=2.0)
    tensor([0.1250, 4.0000])
    """
    input, target = _of_one_size(input, target)
    if weight is not None:
        losses = huber_loss(input, target, "none", delta)
        return _reduced(_weighted(losses, input, weight, reduction), reduction)
    _demand_known(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    demand_kernel("huber_cpu", input, target)
    return loss.HuberLoss.apply(input, target, reduction=reduction, delta=delta)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target · log input + (1 - target) · log(1 - input)) for probabilities; no logarithm counts less than -100.

    ValueError if the sizes differ, RuntimeError outside [0, 1] or for two dtypes.

    >>> binary_cross_entropy(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]))
    tensor(0.6931)
    """
    reduction = _reduction(size_average, reduce, reduction)
    _demand_known(reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    _demand_constant("binary_cross_entropy", weight=weight)
    weights = _weights(weight, input)
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.scalar_type} but expected {input.dtype.scalar_type}")
    for name, each in (("input", input), ("target", target)):
        if not ((each._array >= 0) & (each._array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return loss.BinaryCrossEntropy.apply(input, target, reduction=reduction, weight=weights)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(input), safe for large logits; `pos_weight` multiplies the part of target 1.

    ValueError if the sizes differ, RuntimeError for integers.

    >>> binary_cross_entropy_with_logits(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 1.0]), reduction="none")
    tensor([0.6931, 0.1269])
    """
    reduction = _reduction(size_average, reduce, reduction)
    _demand_known(reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    _demand_constant("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if target.dtype.scalar_type == "Bool":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if input.dtype.is_floating_point and not target.dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input.dtype.scalar_type} can't be cast to the desired output type {target.dtype.scalar_type}"
        )
    demand_kernel("log_sigmoid_cpu", input)
    positive = _weights(pos_weight, input, first=True)
    weights = _weights(weight, input)
    result = loss.BinaryCrossEntropyWithLogits.apply(
        input, target, reduction=reduction, weight=weights, pos_weight=positive
    )
    return saved.guard(result, weight, pos_weight)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[row, target[row]]: input (rows, classes) of log-probabilities, target (rows) of class numbers.

    Also (classes) with one target, and (rows, classes, …) with targets (rows, …). `weight` holds one number for each
    class, and the mean is weighted with them. IndexError for a class that is not there, ValueError or RuntimeError if
    the shapes do not meet or the target does not hold int64.

    >>> nll_loss(torch.tensor([[-1.0, -2.0], [-3.0, -4.0]]), torch.tensor([1, 0]))
    tensor(2.5000)
    """
    reduction = _reduction(size_average, reduce, reduction)
    _demand_known(reduction)
    demand_tensor("nll_loss_nd", input)
    demand_tensor("nll_loss_nd", target, "target", 2)
    return _of_classes(input, target, weight, ignore_index, reduction)


def _demand_places(have: tuple[int, ...], want: tuple[int, ...]) -> None:
    """ValueError or RuntimeError, in torch's words, unless the shape of the target fits that of the input."""
    if not have:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(have) == 1 and len(want) == 1 and want[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {want[0]}")
    if len(have) > 1 and have[:1] != want[:1]:
        rows = want[0] if want else 0
        raise ValueError(f"Expected input batch_size ({have[0]}) to match target batch_size ({rows}).")
    if len(have) > 2 and want[1:] != have[2:]:
        raise RuntimeError(f"Expected target size {[have[0], *have[2:]]}, got {list(want)}")
    if len(have) <= 2 and len(want) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")


def _of_classes(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str) -> Tensor:
    """`nll_loss` of tensors with a known reduction."""
    have, want = input._array.shape, target._array.shape
    if len(have) != 2 or have[:1] != want:
        _demand_places(have, want)
    if weight is not None:
        _demand_constant("nll_loss_forward" if len(have) <= 2 else "nll_loss2d_forward", weight=weight)
    if target._array.dtype.type not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.scalar_type}")
    if weight is not None:
        _demand_class_weights(weight, input, "")
    if input._array.dtype.kind != "f":
        demand_kernel("nll_loss_out_frame" if len(have) <= 2 else "nll_loss2d_forward_out_frame", input)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_type} but found {weight.dtype.scalar_type}")
    places = np.asarray(target._array).astype(np.int64)
    settings = (None if weight is None else weight._array, ignore_index, reduction)
    if len(have) <= 2:
        return saved.guard(loss.NllLoss.apply(input, choice=(places, *settings)), target, weight)
    if len(have) == 4:
        return saved.guard(loss.NllLoss2D.apply(input, choice=(places, *settings)), target, weight)
    image = (1, -1) if input._array.size else (0, 0)
    flat = input.contiguous().view((*have[:2], *image))
    result = loss.NllLoss2D.apply(flat, choice=(places.reshape(have[0], *image), *settings))
    result = saved.guard(result, target, weight)
    return result.view(want) if reduction == "none" else result


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss of log_softmax(input): input (rows, classes) of logits, target (rows) of class numbers.

    A target of the input's shape holds probabilities. With `label_smoothing` s, the target counts 1 - s, and all
    classes together s. Errors as for `nll_loss`.

    >>> cross_entropy(torch.tensor([[0.0, 0.0]]), torch.tensor([1]))
    tensor(0.6931)
    """
    reduction = _reduction(size_average, reduce, reduction)
    _demand_known(reduction)
    demand_tensor("cross_entropy_loss", input)
    demand_tensor("cross_entropy_loss", target, "target", 2)
    if input._array.shape == target._array.shape:
        if not target.dtype.is_floating_point:
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype.scalar_type}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _of_probabilities(input, target, weight, reduction, label_smoothing)
    _demand_smoothing(label_smoothing)
    log = softmax.log_softmax(input, 0 if input._array.ndim == 1 else 1)
    hard = _of_classes(log, target, weight, ignore_index, reduction)
    if label_smoothing <= 0:
        node = hard._made_by
        if node is not None and log._array.ndim == 2 and reduction != "none":
            node.alone = True  # the only one that uses these logarithms
        return hard
    return _smoothed(log, target, weight, ignore_index, reduction, hard, label_smoothing)


def _of_probabilities(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float) -> Tensor:
    """-Σ target · log_softmax(input), for each row; the mean divides by the number of rows."""
    axis = 0 if input.ndim == 1 else 1
    classes = input.shape[axis]
    _demand_class_weights(weight, input, "cross_entropy: ")
    log = softmax.log_softmax(input, axis)
    if smoothing > 0:
        _demand_smoothing(smoothing)
        target = target * (1 - smoothing) + smoothing / max(classes, 1)
    product = log * target if weight is None else log * target * _beside_classes(weight, log, axis)
    if reduction == "none":
        return -product.sum(axis)
    total = -product.sum()
    return total if reduction == "sum" else elementary.Portion.apply(total, parts=log.numel() // max(classes, 1))


def _smoothed(
    log: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    hard: Tensor,
    smoothing: float,
) -> Tensor:
    """(1 - s) · the loss of the target, and s / classes · the losses of all classes together."""
    axis = 0 if log.ndim == 1 else 1
    every = -(log if weight is None else log * _beside_classes(weight, log, axis)).sum(axis)
    ignored = target == ignore_index
    every = every.masked_fill(ignored.reshape(every.shape), 0.0)
    if reduction != "none":
        every = every.sum()
    if reduction == "mean":
        kept = target._array[~ignored._array]
        total = np.asarray(kept.size) if weight is None else np.asarray(weight._array[kept].sum())
        every = every / Tensor._of(total)
    of_target = elementary.Scale.apply(hard, factor=1 - smoothing)
    return of_target + elementary.Scale.apply(every, factor=smoothing / log.shape[axis])


def _beside_classes(weight: Tensor, log: Tensor, axis: int) -> Tensor:
    return weight.view([-1 if each == axis else 1 for each in range(log.ndim)])


# --- what losses ask of their arguments ----------------------------------------------------------


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    return reduction if size_average is None and reduce is None else of_old(size_average, reduce)


def of_old(size_average: bool | None, reduce: bool | None) -> str:
    """The reduction that the two arguments of old mean, with a UserWarning. RuntimeError for a Tensor, as in
    `MSELoss(pred, target)`: it has no truth value.
    """
    averages, reduces = [each is None or bool(each) for each in (size_average, reduce)]
    meant = "none" if not reduces else "mean" if averages else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.")
    return meant


def _demand_known(reduction: str) -> None:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the shape in which they meet, with a UserWarning if they differ."""
    if target.size() == input.size():
        return input, target
    warn(SIZES_DIFFER.format(target.size(), input.size()))
    return broadcast(input, target)


def broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the shape in which they meet; one that has it already stays as it is. RuntimeError if there is none."""
    checks.demand_broadcast([a._array, b._array])
    shape = np.broadcast_shapes(a._array.shape, b._array.shape)
    return a if a.shape == shape else a.expand(shape), b if b.shape == shape else b.expand(shape)


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()


def _weighted(losses: Tensor, input: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The losses times a weight for each."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    if reduction not in REDUCTIONS:
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    return losses * weight


def _with_weights(losses: Tensor, input: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The same, reduced; the mean divides by the sum of the weights."""
    total = _reduced(_weighted(losses, input, weight, reduction), "none" if reduction == "none" else "sum")
    return total / weight.sum() if reduction == "mean" else total


def _demand_constant(name: str, **arguments: Tensor | None) -> None:
    """RuntimeError if an argument that has no derivative would be recorded."""
    for argument, value in arguments.items():
        if value is not None and value.requires_grad and leaf.recording:
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input "
                "cannot have requires_grad True."
            )


def _demand_class_weights(weight: Tensor | None, input: Tensor, prefix: str) -> None:
    classes = input.shape[0 if input.ndim == 1 else 1]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"{prefix}weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )


def _demand_smoothing(smoothing: float) -> None:
    if smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:g}")


def _weights(weight: Tensor | None, input: Tensor, first: bool = False) -> Any:
    """A copy of the weights in the dtype of the input. RuntimeError unless they can be broadcast to its shape."""
    if weight is None:
        return None
    have, want = weight._array, input._array
    checks.demand_broadcast([have, want] if first else [want, have])
    if np.broadcast_shapes(have.shape, want.shape) != want.shape:
        raise RuntimeError(
            f"output with shape {list(want.shape)} doesn't match the broadcast shape "
            f"{list(np.broadcast_shapes(have.shape, want.shape))}"
        )
    return np.array(have, want.dtype)
