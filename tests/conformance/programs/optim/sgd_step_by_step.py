"""Plain SGD: w - lr * grad, in place; a parameter without gradient is left alone."""

import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
unused = torch.tensor([5.0], requires_grad=True)
optimizer = torch.optim.SGD([w, unused], lr=0.1)
for i in range(3):
    optimizer.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    optimizer.step()
    print(i, loss.item(), w, w._version)
print(unused, unused.grad, w.is_leaf)
