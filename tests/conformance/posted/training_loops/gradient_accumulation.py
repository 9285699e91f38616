import torch
import torch.nn as nn

torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = nn.Linear(3, 1)
nn.functional.mse_loss(net(x), y).backward()
full = net.weight.grad.clone()

net.zero_grad()
steps = 4
for xb, yb in zip(x.split(2), y.split(2)):
    loss = nn.functional.mse_loss(net(xb), yb) / steps
    loss.backward()
print(torch.allclose(full, net.weight.grad, atol=1e-6))
print(full)
