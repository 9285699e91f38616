"""Losses as modules: each keeps its settings and calls the function of its name in `minigrad.nn.functional`.

Mirrors https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from minigrad.nn import losses
from minigrad.nn.modules.calling import calling

MSELoss = calling(__name__, "MSELoss", losses.mse_loss, "weight")
L1Loss = calling(__name__, "L1Loss", losses.l1_loss, "weight")
SmoothL1Loss = calling(__name__, "SmoothL1Loss", losses.smooth_l1_loss)
HuberLoss = calling(__name__, "HuberLoss", losses.huber_loss, "weight")
BCELoss = calling(__name__, "BCELoss", losses.binary_cross_entropy)
BCEWithLogitsLoss = calling(__name__, "BCEWithLogitsLoss", losses.binary_cross_entropy_with_logits)
NLLLoss = calling(__name__, "NLLLoss", losses.nll_loss)
CrossEntropyLoss = calling(__name__, "CrossEntropyLoss", losses.cross_entropy)
