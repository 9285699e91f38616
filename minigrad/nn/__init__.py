"""torch.nn: modules, their parameters, and the functions they call.

Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional, init, modules, parameter, utils
from minigrad.nn.modules import *  # noqa: F403
from minigrad.nn.modules import __all__ as _modules
from minigrad.nn.parameter import Buffer, Parameter

__all__ = [*_modules, "Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad.nn has no {name!r} (torch.nn may have it)")
