"""Adagrad: steps divided by the size of all gradients so far.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html
"""

from __future__ import annotations

from typing import Any

from minigrad.ops import creation
from minigrad.optim.optimizer import CountingOptimizer, chosen, count, demand_number, descent
from minigrad.tensor import Tensor


class Adagrad(CountingOptimizer):
    """w ← w - lr / (1 + (t - 1) · lr_decay) · g / (√s + eps) at step t, with the sum s of all g².

    ValueError for settings without sense.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        modes = "foreach maximize differentiable fused"
        defaults = chosen(locals(), f"lr lr_decay eps weight_decay initial_accumulator_value {modes}")
        demand_number("learning rate", lr)
        demand_number("lr_decay value", lr_decay)
        demand_number("weight_decay value", weight_decay)
        demand_number("initial_accumulator_value value", initial_accumulator_value)
        demand_number("epsilon value", eps)
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self._begin(parameter)

    def _begin(self, parameter: Tensor, *means: str) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            state["step"] = count(0.0)
            state["sum"] = creation.full_like(parameter, self.defaults["initial_accumulator_value"])
        return state

    def _update(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state, grad = self._begin(parameter), descent(parameter, grad, group)
        state["step"] += 1
        state["sum"].addcmul_(grad, grad, value=1)
        lr = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        parameter.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-lr)
