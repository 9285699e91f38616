"""What the engine remembers between calls, besides `leaf.recording`: everything that is global stands here.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

import itertools
from typing import Any

numbers = itertools.count(1)  # creation numbers of nodes: newer ones are larger

running = False  # whether a backward pass runs
ordinary = False  # during a pass: that it is not recorded, is for every leaf, and is not watched
watcher: Any = None  # who follows the running pass besides the leaves (`passes.CapturePass`); None in an ordinary pass
recorded = False  # during a pass: that it is itself recorded (`create_graph`)
packer: Any = None  # what packs the values that a node has just saved (`saved_tensors_hooks`); None without such hooks
anomalies: Any = None  # what looks at the shares of every node (`anomaly_mode`); None while the mode is off
