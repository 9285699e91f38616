"""Dropout: random zeros while a network trains.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class Dropout(Module):
    """Each entry 0 with probability p, the others times 1 / (1 - p); in evaluation mode nothing changes.

    ValueError for a p outside [0, 1].
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        F.demand_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
