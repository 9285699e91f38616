"""Nodes with several results: each result has its own place in the graph, and the node waits for all of them.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.graph.Node.next_functions.html
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from minigrad.tensor import Tensor, Value


class Output:
    """One of several results of a node: the place in the graph where its upstream gradient is added up."""

    nothing = None

    def __init__(self, node: Any, index: int, array: np.ndarray):
        self.owner, self.index = node, index  # programs see the owner as `grad_fn`
        self.shape, self.dtype = array.shape, array.dtype
        self._hooks: Any = None  # a `Hooks`, whose module imports this one

    @property
    def edges(self) -> tuple:
        """Only the node itself."""
        return (self.owner,)

    @property
    def number(self) -> float:
        """Just above its node's number, so that the walk visits it just before its node."""
        return self.owner.number + 0.5

    @property
    def output_nr(self) -> int:
        """Which of the results it is."""
        return self.index

    def pullback(self, grad_output: Value, retain_graph: bool = False) -> list:
        """The node waits for the gradients of all its results; hooks see them there."""
        return [OutputGrads({self.index: grad_output})]


class OutputGrads(dict):
    """What arrived at the results of one node: index -> upstream gradient."""

    def __add__(self, other: OutputGrads) -> OutputGrads:
        return OutputGrads(self | (other or {}))  # a walk may start a sum from 0

    __radd__ = __add__

    def complete(self, node: Any) -> list:
        """One upstream gradient per result of `node`: zeros where nothing arrived, Tensors beside Tensors."""
        made = Tensor._of if any(isinstance(item, Tensor) for item in self.values()) else np.asarray
        results = [self.get(index) for index in range(len(node.shape))]
        pairs = zip(results, node.shape, strict=True)
        return [made(np.zeros(shape, node.dtype)) if item is None else item for item, shape in pairs]


Upstream: TypeAlias = Value | OutputGrads  # what arrives at a place of the graph
