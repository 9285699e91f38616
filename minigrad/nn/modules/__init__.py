"""The modules, each file with the classes that torch has in the file of that name.

Mirrors https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

from minigrad.nn.modules.activation import (
    ELU,
    GELU,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from minigrad.nn.modules.container import ModuleDict, ModuleList, ParameterList, Sequential
from minigrad.nn.modules.dropout import Dropout
from minigrad.nn.modules.flatten import Flatten
from minigrad.nn.modules.linear import Identity, Linear
from minigrad.nn.modules.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import LayerNorm
from minigrad.nn.modules.sparse import Embedding

__all__ = sorted([name for name, value in globals().items() if isinstance(value, type)])
