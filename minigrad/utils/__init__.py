"""torch.utils: `data`, what feeds a training loop.
Mirrors https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

from minigrad.compat import unsupported
from minigrad.utils import data

__all__ = ["data"]
__getattr__ = unsupported.lacking(__name__)
