"""torch.nn: modules, their parameters, and the functions they call.
Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

from minigrad.compat import unsupported
from minigrad.nn import functional, init, modules, parameter, utils
from minigrad.nn.modules import *  # noqa: F403
from minigrad.nn.modules import __all__ as _modules
from minigrad.nn.parameter import Buffer, Parameter

__all__ = [*_modules, "Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils"]
__getattr__ = unsupported.lacking(__name__)
