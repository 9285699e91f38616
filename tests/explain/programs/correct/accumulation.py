import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(24, 3), torch.randn(24, 1)
opt.zero_grad()
for i in range(12):
    xb, yb = x[2 * i : 2 * i + 2], y[2 * i : 2 * i + 2]
    loss = nn.functional.mse_loss(net(xb), yb) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
