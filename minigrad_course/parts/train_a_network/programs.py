"""Shared by the programs of the chapter."""

from __future__ import annotations

from types import ModuleType

from minigrad.optim import SGD
from minigrad.tensor import Tensor


def show(*tensors: Tensor) -> None:
    """As in the notebook: the numbers in one line, with four decimals."""
    print(*[f"{number:.4f}" for tensor in tensors for number in tensor.detach().flatten().tolist()])


def weights(torch: ModuleType, *sizes: int) -> Tensor:
    """A leaf to be trained, of zeros."""
    return torch.zeros(*sizes, requires_grad=True)


def sgd(torch: ModuleType, parameters: list[Tensor], rate: float) -> SGD:
    """The optimizer of all these programs."""
    return torch.optim.SGD(parameters, lr=rate)


def squared(prediction: Tensor, target: Tensor) -> Tensor:
    """The mean of the squared errors."""
    return ((prediction - target) ** 2).mean()


def update(optimizer: SGD, loss: Tensor) -> None:
    """One right step of an optimizer."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
