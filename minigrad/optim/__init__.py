"""torch.optim: optimizers change parameters by their gradients.

Mirrors https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from typing import Any

from minigrad.optim import lr_scheduler
from minigrad.optim.adagrad import Adagrad
from minigrad.optim.adam import Adam, AdamW
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.rmsprop import RMSprop
from minigrad.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad.optim has no {name!r} (torch.optim may have it)")
