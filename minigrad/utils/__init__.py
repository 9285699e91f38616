"""torch.utils: `data`, what feeds a training loop; `checkpoint`, which computes again instead of keeping.
Mirrors https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

import importlib
from typing import Any

from minigrad.compat import unsupported
from minigrad.utils import data

__all__ = ["data"]
_LATER = {"checkpoint": "utils.checkpoint", "dlpack": "ops.dlpack"}  # loaded on first use


def __getattr__(name: str) -> Any:
    return importlib.import_module(f"minigrad.{_LATER[name]}") if name in _LATER else unsupported.refuse(__name__, name)
