"""Distances as modules.
Mirrors https://docs.pytorch.org/docs/stable/nn.html#distance-functions
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules import calling
from minigrad.tensor import Tensor


class PairwiseDistance(calling.Calling):
    """`pairwise_distance` as a module: (Σ |x1 - x2 + eps|ᵖ)^(1/p) along the last axis."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self._keep(locals())

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)
