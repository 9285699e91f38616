"""Losses as modules: each keeps its settings and calls the function of its name in `minigrad.nn.functional`.

Mirrors https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from minigrad.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from minigrad.nn.modules.calling import calling

MSELoss = calling(__name__, "MSELoss", mse_loss, "weight")
L1Loss = calling(__name__, "L1Loss", l1_loss, "weight")
SmoothL1Loss = calling(__name__, "SmoothL1Loss", smooth_l1_loss)
HuberLoss = calling(__name__, "HuberLoss", huber_loss, "weight")
BCELoss = calling(__name__, "BCELoss", binary_cross_entropy)
BCEWithLogitsLoss = calling(__name__, "BCEWithLogitsLoss", binary_cross_entropy_with_logits)
NLLLoss = calling(__name__, "NLLLoss", nll_loss)
CrossEntropyLoss = calling(__name__, "CrossEntropyLoss", cross_entropy)
