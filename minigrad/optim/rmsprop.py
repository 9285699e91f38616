"""RMSprop: steps divided by the running size of the gradient.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html
"""

from __future__ import annotations

from typing import Any

from minigrad.optim.optimizer import CountingOptimizer, chosen, demand_number, descent
from minigrad.tensor import Tensor


class RMSprop(CountingOptimizer):
    """w ← w - lr · g / (√v + eps), with the running mean v of g²; `centered` takes the variance.

    ValueError for settings without sense.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        modes = "capturable foreach maximize differentiable"
        defaults = chosen(locals(), f"lr momentum alpha eps centered weight_decay {modes}")
        demand_number("learning rate", lr)
        demand_number("epsilon value", eps)
        demand_number("momentum value", momentum)
        demand_number("weight_decay value", weight_decay)
        demand_number("alpha value", alpha)
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        momentum, alpha, centered = group["momentum"], group["alpha"], group["centered"]
        means = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * bool(centered)]
        state, grad = self._begin(parameter, *means), descent(parameter, grad, group)
        state["step"] += 1
        square = state["square_avg"]
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if centered:
            mean = state["grad_avg"]
            mean.lerp_(grad, 1 - alpha)
            square = square.addcmul(mean, mean, value=-1)
        size = square.sqrt().add_(group["eps"])
        if momentum > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(momentum).addcdiv_(grad, size)
            parameter.add_(buffer, alpha=-group["lr"])
        else:
            parameter.addcdiv_(grad, size, value=-group["lr"])
