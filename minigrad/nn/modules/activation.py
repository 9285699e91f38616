"""Activations as modules: each calls the function of its name in `minigrad.nn.functional`.

Mirrors https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

from __future__ import annotations

from minigrad.nn.functional import elu, gelu, leaky_relu, log_softmax, relu, sigmoid, silu, softmax, softplus, tanh
from minigrad.nn.modules.calling import calling

ReLU = calling(__name__, "ReLU", relu)
LeakyReLU = calling(__name__, "LeakyReLU", leaky_relu)
ELU = calling(__name__, "ELU", elu)
Softplus = calling(__name__, "Softplus", softplus)
GELU = calling(__name__, "GELU", gelu)
SiLU = calling(__name__, "SiLU", silu)
Sigmoid = calling(__name__, "Sigmoid", sigmoid)
Tanh = calling(__name__, "Tanh", tanh)
Softmax = calling(__name__, "Softmax", softmax, "_stacklevel", "dtype")
LogSoftmax = calling(__name__, "LogSoftmax", log_softmax, "_stacklevel", "dtype")
