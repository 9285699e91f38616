"""Train a small network on two spirals, step by step: `x @ w + b`, tanh, a smooth ramp, cross-entropy.

Nothing here is a ready-made layer, so every step goes through the operations of the engine. At the end you see what
the network learned, whether its gradients agree with differences, and how often each of your parts ran.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad

if TYPE_CHECKING:
    from torch import Tensor

STEPS = 300
RATE, MOMENTUM = 0.1, 0.9
DECAY = 1e-4  # how much large weights cost
SHADES = ".#"


def spirals(torch: ModuleType, count: int = 60) -> tuple[Tensor, Tensor]:
    """The points of both arms, of shape (2 · count, 2), and each point's arm."""
    turn = np.linspace(0.5, 3.2, count)[:, None]
    arm = turn / 3.2 * np.hstack([np.cos(2 * turn), np.sin(2 * turn)])
    return torch.tensor(np.vstack([arm, -arm])), torch.tensor(np.repeat([0, 1], count))


class Network:
    """Two hidden layers, and a score for each spiral."""

    def __init__(self, torch: ModuleType, width: int = 16):
        self.torch = torch
        torch.manual_seed(0)
        self.w1, self.b1 = self.leaf(2, width), self.leaf(width)
        self.w2, self.b2 = self.leaf(width, width), self.leaf(width)
        self.rows = [self.leaf(width), self.leaf(width)]

    def leaf(self, *shape: int) -> Tensor:
        """Random weights, to be trained."""
        weights = self.torch.randn(*shape, dtype=self.torch.float64) / shape[0] ** 0.5
        return weights.requires_grad_()

    def parameters(self) -> list[Tensor]:
        """All leaves."""
        return [self.w1, self.b1, self.w2, self.b2, *self.rows]

    def __call__(self, points: Tensor) -> Tensor:
        """How well each point fits each spiral: [points, 2] gives [points, 2]."""
        hidden = (points @ self.w1 + self.b1).tanh()
        hidden = ramp(hidden @ self.w2 + self.b2)
        return self.torch.stack([hidden @ row for row in self.rows], 1)

    def loss(self, points: Tensor, arms: Tensor) -> Tensor:
        """Cross-entropy: log Σ exp(score) minus the score of the right arm."""
        scores = self(points)
        right = scores[self.torch.arange(len(arms)), arms]
        return (scores.logsumexp(dim=1) - right).mean()

    def cost(self) -> Tensor:
        """A penalty for large weights."""
        squares = [(parameter**2).sum() for parameter in self.parameters()]
        return DECAY * sum(squares) / 2


def ramp(x: Tensor) -> Tensor:
    """A relu without its corner: (x + √(x² + 1)) / 2."""
    return (x + x.hypot(x.new_ones(1))) / 2


def step(optimizer: Any, loss: Tensor, cost: Tensor = 0.0) -> float:
    """One step of training: clear, backward, update. The loss before it."""
    optimizer.zero_grad()
    (loss + cost).backward()
    optimizer.step()
    return loss.item()


def begun(torch: ModuleType, rate: float = RATE, momentum: float = MOMENTUM) -> tuple[Network, Callable[[], float]]:
    """A network on an engine that has learned nothing, and a function that takes one step."""
    network, (points, arms) = Network(torch), spirals(torch)
    optimizer = torch.optim.SGD(network.parameters(), lr=rate, momentum=momentum)
    return network, lambda: step(optimizer, network.loss(points, arms), network.cost())


def share(network: Network) -> float:
    """The share of points whose own arm gets the higher score, from 0 to 1."""
    points, arms = spirals(network.torch)
    with network.torch.no_grad():
        return (network(points).argmax(1) == arms).double().mean().item()


def plane(network: Network, width: int = 56, height: int = 24) -> str:
    """The plane as text: the spiral that the network predicts at each place. The points are o and x."""
    across, down = np.meshgrid(np.linspace(-1.1, 1.1, width), np.linspace(1.1, -1.1, height))
    grid = network.torch.tensor(np.stack([across.ravel(), down.ravel()], 1))
    with network.torch.no_grad():
        result = network(grid).argmax(1).tolist()
    rows = [[SHADES[item] for item in result[start : start + width]] for start in range(0, width * height, width)]
    points, arms = spirals(network.torch)
    for (x, y), arm in zip(points.tolist(), arms.tolist(), strict=True):
        rows[round((1.1 - y) / 2.2 * (height - 1))][round((x + 1.1) / 2.2 * (width - 1))] = "ox"[arm]
    return "\n".join(map("".join, rows))


def agrees(network: Network) -> bool:
    """Whether finite differences of the loss agree with backward, for the weights of the first layer."""
    data, weights = spirals(network.torch), (network.w1, network.b1)
    return network.torch.autograd.gradcheck(lambda *_: network.loss(*data), weights, raise_exception=False)


def main() -> None:
    """Train, and show what was learned and which of your parts ran."""
    yours = getattr(minigrad, "YOURS", {})
    with minigrad.parts.count(yours) as calls:
        network, one_step = begun(minigrad)
        for count in range(STEPS + 1):
            loss = one_step()
            if count % 50 == 0:
                print(f"step {count:3}   loss {loss:.4f}   {share(network):4.0%} right")
        print(plane(network))
        print(f"Gradients and differences agree: {agrees(network)}.")
    ran = ", ".join(f"{part} {calls[part]:,}" for part in yours if calls[part])
    print(f"How often your parts ran: {ran}." if ran else "None of your parts ran.")
    if rest := ", ".join(part for part in yours if not calls[part]):
        print(f"Not needed here: {rest}.")


if __name__ == "__main__":
    main()
