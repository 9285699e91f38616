"""Shared by the programs of the chapter."""

from __future__ import annotations

from typing import Any


def show(*tensors: Any) -> None:
    """As in the notebook: the numbers in one line, with four decimals."""
    print(*[f"{number:.4f}" for tensor in tensors for number in tensor.detach().flatten().tolist()])


def weights(torch: Any, *sizes: int) -> Any:
    """A leaf to be trained, of zeros."""
    return torch.zeros(*sizes, requires_grad=True)


def sgd(torch: Any, parameters: list, rate: float) -> Any:
    """The optimizer of all these programs."""
    return torch.optim.SGD(parameters, lr=rate)


def squared(prediction: Any, target: Any) -> Any:
    """The mean of the squared errors."""
    return ((prediction - target) ** 2).mean()


def update(optimizer: Any, loss: Any) -> None:
    """One right step of an optimizer."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
