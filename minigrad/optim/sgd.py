"""Stochastic gradient descent.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
"""

from __future__ import annotations

from typing import Any

from minigrad.optim.optimizer import Optimizer, chosen, descent, refuse_tensor
from minigrad.tensor import Tensor


class SGD(Optimizer):
    """w ← w - lr · g, where g is the gradient, or with momentum the buffer b ← momentum · b + (1 - dampening) · g.

    `weight_decay` adds weight_decay · w to the gradient, `nesterov` takes g + momentum · b, `maximize` goes up.
    ValueError for settings without sense.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        modes = "maximize foreach differentiable fused"
        defaults = chosen(locals(), f"lr momentum dampening weight_decay nesterov {modes}")
        settings = {"learning rate": lr, "momentum value": momentum, "weight_decay value": weight_decay}
        for name, value in settings.items():
            refuse_tensor(value)
            if value < 0.0:  # nan passes, other than in the other optimizers
                raise ValueError(f"Invalid {name}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        momentum = group["momentum"]
        grad = descent(parameter, grad, group)
        if momentum != 0:
            state = self.state[parameter]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        parameter.add_(grad, alpha=-group["lr"])
