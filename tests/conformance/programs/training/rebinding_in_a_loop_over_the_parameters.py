"""p = p - lr * p.grad inside a loop changes no parameter; p -= under no_grad() does."""

import torch

net = torch.nn.Linear(2, 1, bias=False)
net.weight.data.fill_(1.0)
net(torch.tensor([1.0, 2.0])).backward()
for p in net.parameters():
    p = p - 0.5 * p.grad
print(net.weight, p.is_leaf)
with torch.no_grad():
    for p in net.parameters():
        p -= 0.5 * p.grad
print(net.weight)
