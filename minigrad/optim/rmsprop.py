"""RMSprop: steps divided by the running size of the gradient.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html
"""

from __future__ import annotations

from typing import Any

from minigrad.ops import creation
from minigrad.optim.adam import count_dtype
from minigrad.optim.optimizer import Optimizer, demand_number
from minigrad.tensor import Tensor


class RMSprop(Optimizer):
    """w ← w - lr · g / (√v + eps), with the running mean v of g²; `centered` takes the variance.

    ValueError for settings without sense.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = RMSprop([w], lr=0.05)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.5000], requires_grad=True)
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
        demand_number("learning rate", lr)
        demand_number("epsilon value", eps)
        demand_number("momentum value", momentum)
        demand_number("weight_decay value", weight_decay)
        demand_number("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = creation.tensor(0.0, dtype=count_dtype())
            state["square_avg"] = creation.zeros_like(parameter)
            if group["momentum"] > 0:
                state["momentum_buffer"] = creation.zeros_like(parameter)
            if group["centered"]:
                state["grad_avg"] = creation.zeros_like(parameter)
        if group["maximize"]:
            grad = -grad
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad.add(parameter, alpha=group["weight_decay"])
        square = state["square_avg"]
        square.mul_(group["alpha"]).addcmul_(grad, grad, value=1 - group["alpha"])
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(grad, 1 - group["alpha"])
            square = square.addcmul(mean, mean, value=-1)
        size = square.sqrt().add_(group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(grad, size)
            parameter.add_(buffer, alpha=-group["lr"])
        else:
            parameter.addcdiv_(grad, size, value=-group["lr"])
