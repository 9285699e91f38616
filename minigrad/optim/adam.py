"""Adam, and AdamW: steps of a size that the past gradients decide.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html and
https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
"""

from __future__ import annotations

from typing import Any

from minigrad.ops import functions
from minigrad.optim.optimizer import CountingOptimizer, chosen, demand_number, descent
from minigrad.tensor import Tensor


class Adam(CountingOptimizer):
    """w ← w - lr · m / (√v + eps), with running means m of the gradient and v of its square.

    Step t divides m by 1 - β₁ᵗ and v by 1 - β₂ᵗ, because both begin at 0. `amsgrad` takes the largest v so far.
    ValueError for settings without sense.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        modes = "maximize foreach capturable differentiable fused decoupled_weight_decay"
        defaults = chosen(locals(), f"lr betas eps weight_decay amsgrad {modes}")
        demand_number("learning rate", lr)
        demand_number("epsilon value", eps)
        demand_number("beta parameter at index 0", betas[0], below=1.0)
        demand_number("beta parameter at index 1", betas[1], below=1.0)
        demand_number("weight_decay value", weight_decay)
        if not (isinstance(betas[0], float) and isinstance(betas[1], float)):
            raise ValueError("betas must be either both floats or both Tensors")
        super().__init__(params, defaults | {"betas": tuple(betas)})

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        lr, (beta1, beta2), decoupled = group["lr"], group["betas"], group["decoupled_weight_decay"]
        state = self._begin(parameter, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * bool(group["amsgrad"]))
        state["step"] += 1
        if decoupled and group["weight_decay"] != 0:
            parameter.mul_(1 - lr * group["weight_decay"])
        grad = descent(parameter, grad, group, decay=not decoupled)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(functions["maximum"](state["max_exp_avg_sq"], square))
        count = state["step"].item()
        root = (1 - beta2**count) ** 0.5
        parameter.addcdiv_(mean, (square.sqrt() / root).add_(group["eps"]), value=-lr / (1 - beta1**count))


class AdamW(Adam):
    """Adam whose weight decay is no part of the gradient: w ← (1 - lr · weight_decay) · w before the step."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        given = chosen(
            locals(), "params lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused"
        )
        super().__init__(**given, decoupled_weight_decay=True)
