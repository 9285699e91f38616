"""torch.optim: optimizers change parameters using their gradients.
Mirrors https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from minigrad.compat import unsupported
from minigrad.optim import lr_scheduler
from minigrad.optim.optimizer import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
__getattr__ = unsupported.lacking(__name__)
