"""Embedding: a table whose rows are looked up by number.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html
"""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops import creation
from minigrad.tensor import Tensor


class Embedding(Module):
    """Rows of weight (num_embeddings, embedding_dim) by their numbers; the row `padding_idx` is 0 and not trained.

    AssertionError for a padding_idx outside the table.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = F.demand_row(padding_idx, num_embeddings)
        self.weight = Parameter(creation.empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new first values from the normal distribution."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with leaf.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
