"""`torch.autograd.variable`: the old module with `Variable`.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
"""

from __future__ import annotations

from minigrad.ops.creation.legacy import Variable

__all__ = ["Variable"]
