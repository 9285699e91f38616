"""Gradients go back to where the entries came from."""

import torch

upstream = torch.arange(1.0, 7.0)
moves = [
    lambda t: t.reshape(6),
    lambda t: t.T.reshape(6),
    lambda t: t.transpose(0, 1).flatten(),
    lambda t: t.permute(1, 0).contiguous().view(6),
    lambda t: t.unsqueeze(2).squeeze().view(-1),
    lambda t: torch.cat([t[1], t[0]]),
    lambda t: torch.stack([t[0], t[1]], dim=1).flatten(),
]
for move in moves:
    x = torch.tensor([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]], requires_grad=True)
    y = move(x)
    y.backward(upstream)
    print(y.tolist(), x.grad.tolist())
