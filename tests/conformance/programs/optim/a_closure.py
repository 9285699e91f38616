"""step(closure) computes the loss anew and returns it."""

import torch

w = torch.tensor([3.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)


def closure():
    optimizer.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    return loss


for _ in range(2):
    print(optimizer.step(closure), w)
print(optimizer.step())
