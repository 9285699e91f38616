"""The modules; each appears under torch's module name.
Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

from minigrad.nn.modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from minigrad.nn.modules.distance import PairwiseDistance
from minigrad.nn.modules.layers import *  # noqa: F403
from minigrad.nn.modules.module import Module

__all__ = sorted([name for name, value in globals().items() if isinstance(value, type) and issubclass(value, Module)])
