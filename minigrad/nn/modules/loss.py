"""The losses as modules.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules import calling
from minigrad.tensor import Tensor


class MSELoss(calling.Calling):
    """`mse_loss` as a module: (input - target)². A UserWarning if the sizes differ, RuntimeError if they cannot be
    broadcast.
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(calling.Calling):
    """`l1_loss` as a module: |input - target|. A UserWarning if the sizes differ, RuntimeError if they cannot be
    broadcast.
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(calling.Calling):
    """`smooth_l1_loss` as a module: (input - target)² / (2 · beta) below beta, |input - target| - beta / 2 above.
    RuntimeError for beta < 0.
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(calling.Calling):
    """`huber_loss` as a module: (input - target)² / 2 up to delta, delta · (|input - target| - delta / 2) above.
    RuntimeError for delta <= 0.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class BCELoss(calling.Calling):
    """`binary_cross_entropy` as a module: -(target · log input + (1 - target) · log(1 - input)) for probabilities;
    no logarithm counts less than -100. ValueError if the sizes differ, RuntimeError outside [0, 1] or for two
    dtypes.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(calling.Calling):
    """`binary_cross_entropy_with_logits` as a module: binary_cross_entropy of sigmoid(input), safe for large logits,
    with its errors; `pos_weight` times target 1's.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, weight=self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


class NLLLoss(calling.Calling):
    """`nll_loss` as a module: -input[row, target[row]]: input (rows, classes) of log-probabilities, target (rows) of
    class numbers; or (classes) and one target, or (rows, classes, …) and (rows, …). `weight`, one number for each
    class, weights the mean as well. IndexError for a class that is not there, ValueError or RuntimeError for shapes
    that do not fit or targets other than int64.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class KLDivLoss(calling.Calling):
    """`kl_div` as a module: target · (log target - input), for an input (and with `log_target` a target) of
    logarithms of probabilities.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class CrossEntropyLoss(calling.Calling):
    """`cross_entropy` as a module: nll_loss of log_softmax(input), with its errors: input (rows, classes) of logits,
    target (rows) of class numbers, or of the input's shape and probabilities. `label_smoothing` s counts the target
    1 - s, all classes s.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class HingeEmbeddingLoss(calling.Calling):
    """`hinge_embedding_loss` as a module: input where the target is 1, max(margin - input, 0) where it is -1."""

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(calling.Calling):
    """`margin_ranking_loss` as a module: max(margin - target · (input1 - input2), 0), for a target of 1 where input1
    is to be larger, else -1. RuntimeError for different numbers of dimensions.
    """

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        self._keep(locals())

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


for _kind, _owner in ((MSELoss, "_Loss"), (L1Loss, "_Loss"), (BCELoss, "_WeightedLoss")):
    _kind.__init__.__qualname__ = f"{_owner}.__init__"  # as torch names it in errors: its classes inherit it
