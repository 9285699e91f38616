"""Nodes with several results: each result is a place of its own in the graph, and the node waits for all of them.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.graph.Node.next_functions.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.tensor import Tensor


class Output:
    """One of several results of a node: the place of the graph where its upstream gradient is added up."""

    __slots__ = ("owner", "index", "shape", "dtype", "_hooks", "__weakref__")
    nothing = None

    def __init__(self, node: Any, index: int, array: np.ndarray):
        self.owner, self.index, self._hooks = node, index, None  # the owner is what a program sees as `grad_fn`
        self.shape, self.dtype = array.shape, array.dtype

    @property
    def output_nr(self) -> int:
        """Which of the results it is."""
        return self.index

    @property
    def edges(self) -> tuple:
        """Only the node itself."""
        return (self.owner,)

    @property
    def number(self) -> float:
        """Just after its node's, so that the walk visits it just before its node."""
        return self.edges[0].number + 0.5

    def pullback(self, grad_output: Any, retain_graph: bool = False) -> list:
        """The node waits for what all of its results received; hooks see it there."""
        return [OutputGrads({self.index: grad_output})]


class OutputGrads(dict):
    """What arrived at the results of one node: index -> upstream gradient."""

    def __add__(self, other: OutputGrads) -> OutputGrads:
        return OutputGrads(self | other)

    def complete(self, node: Any) -> list:
        """One upstream gradient per result of `node`: zeros where nothing arrived, Tensors beside Tensors."""
        as_tensors = any(isinstance(each, Tensor) for each in self.values())
        grads = []
        for index, shape in enumerate(node.shape):
            grad = self.get(index)
            if grad is None:
                zeros = np.zeros(shape, node.dtype)
                grad = Tensor._of(zeros) if as_tensors else zeros
            grads.append(grad)
        return grads
