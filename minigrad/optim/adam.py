"""Adam, and AdamW: steps of a size that the past gradients decide.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html and
https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import dtypes
from minigrad.ops import creation, functions
from minigrad.optim.optimizer import Optimizer, demand_number
from minigrad.tensor import Tensor


class Adam(Optimizer):
    """w ← w - lr · m / (√v + eps), with running means m of the gradient and v of its square.

    Step t divides m by 1 - β₁ᵗ and v by 1 - β₂ᵗ, because both begin at 0. `amsgrad` takes the largest v so far.
    ValueError for settings without sense.

    >>> w = torch.tensor([1.0, -200.0], requires_grad=True)
    >>> optimizer = Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([   0.9000, -199.9000], requires_grad=True)
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
        demand_number("learning rate", lr)
        demand_number("epsilon value", eps)
        demand_number("beta parameter at index 0", betas[0], below=1.0)
        demand_number("beta parameter at index 1", betas[1], below=1.0)
        demand_number("weight_decay value", weight_decay)
        if not (isinstance(betas[0], float) and isinstance(betas[1], float)):
            raise ValueError("betas must be either both floats or both Tensors")
        defaults = {
            "lr": lr,
            "betas": tuple(betas),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        lr, decay, (beta1, beta2) = group["lr"], group["weight_decay"], group["betas"]
        state = self.state[parameter]
        if not state:
            state["step"] = creation.tensor(0.0, dtype=count_dtype())
            state["exp_avg"] = creation.zeros_like(parameter)
            state["exp_avg_sq"] = creation.zeros_like(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = creation.zeros_like(parameter)
        if group["maximize"]:
            grad = -grad
        state["step"] += 1
        if decay != 0 and group["decoupled_weight_decay"]:
            parameter.mul_(1 - lr * decay)
        elif decay != 0:
            grad = grad.add(parameter, alpha=decay)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(functions["maximum"](state["max_exp_avg_sq"], square))
        count = state["step"].item()
        root = (1 - beta2**count) ** 0.5
        parameter.addcdiv_(mean, (square.sqrt() / root).add_(group["eps"]), value=-lr / (1 - beta1**count))


class AdamW(Adam):
    """Adam whose weight decay is no part of the gradient: w ← (1 - lr · weight_decay) · w before the step.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = AdamW([w], lr=0.1, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8500], requires_grad=True)
    """

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
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )


def count_dtype() -> dtypes.dtype:
    """The dtype of the count of steps: float64 if that is the default dtype, else float32."""
    return dtypes.float64 if dtypes.default() is dtypes.float64 else dtypes.float32
