"""`torch.autograd.graph`: edges that name a place in the graph, and hooks for the values that nodes save.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#module-torch.autograd.graph
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigrad import leaf
from minigrad.autograd.saved_hooks import save_on_cpu, saved_tensors_hooks
from minigrad.runtime import nodes
from minigrad.runtime.nodes import Node
from minigrad.tensor import Tensor

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "increment_version", "save_on_cpu", "saved_tensors_hooks"]


class GradientEdge(NamedTuple):
    """A place in the graph: a node, and which of its results. It can replace the tensor in a pass."""

    node: Any
    output_nr: int
    ownership_token: Any = None

    def stand_in(self) -> Tensor:
        """A Tensor to use for the edge in a pass: the leaf itself, or one at the edge's place."""
        if isinstance(self.node, nodes.AccumulateGrad):
            return self.node.variable
        place = self.node._place().place(self.output_nr)
        stand_in = Tensor._of(np.broadcast_to(np.zeros((), place.dtype), place.shape))
        stand_in._made_by = place
        return stand_in


GradientEdge.__module__ = "torch.autograd.graph"  # the module that torch prints


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place where the tensor's gradient is computed. RuntimeError for a constant."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*nodes.seen(tensor._place()))


def increment_version(tensor: Any) -> None:
    """Count a change in place that the engine cannot see, for one tensor or each of several."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        leaf.counter(each)[0] += 1


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad.autograd.graph has no {name!r} (torch's may have it)")
