"""The engine's global state, except `leaf.recording`.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

numbers = itertools.count(1)  # creation numbers of nodes: newer ones are larger

running = False  # whether a backward pass is running
ordinary = False  # True during a plain pass: no recording, no `inputs=`, no anomaly mode
watcher: Any = None  # follows the running pass besides the leaves (`passes.CapturePass`); None in an ordinary pass
recorded = False  # True during a pass that is itself recorded (`create_graph`)
seeds: tuple = ()  # the arrays of the tensors that a program gave the running pass as upstream gradients
grad_layout = True  # whether a leaf's gradient is laid out in memory like the leaf
packer: Callable[[Any], None] | None = (
    None  # packs the values that a node has just saved (`saved_tensors_hooks`); None without such hooks
)
anomalies: Callable[[Any, Callable[[], list]], list] | None = (
    None  # inspects the shares of every node (`anomaly_mode`); None while the mode is off
)
lent: list[Any] | None = None  # the gradients whose arrays others may still hold (`owning`); None outside a plain pass
before_change: Callable[[Any, list, Any], None] | None = (
    None  # looks at each change in place: while `vmap` runs (`func.batching`), and for saved tensors (`autograd.graph`)
)
batched: Callable[[Any, tuple, dict], Any] | None = (
    None  # what an operation makes of entries of a batch that run at once, None if there are none (`passing.batched`)
)
transforms = 0  # how many transformations of torch.func are running
root: Any = None  # the running pass (`passes.Pass`)
kept: Callable[[Any, tuple], Any] | None = None  # makes what a function made of its arguments a Row, while `vmap` runs
of_batch: Callable[[Any, tuple], tuple] | None = None  # calls a Function's own `vmap`, while `vmap` runs
tangent: Callable[[Any], tuple] | None = None  # (tangent of a tensor, whether it has a graph), while forward mode is on
