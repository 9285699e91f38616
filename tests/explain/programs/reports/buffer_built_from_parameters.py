import torch
from torch import nn
class Extend(nn.Module):
    def __init__(self, old):
        super().__init__()
        self.new = nn.Parameter(torch.zeros(1, 2))
        self.register_buffer("full", torch.cat([old, self.new * 1.0], dim=0))
    def forward(self, x):
        return x @ self.full.t()
net = Extend(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([[1.0, 2.0]])
for i in range(2):
    opt.zero_grad()
    loss = (net(x) - 3).pow(2).mean()
    loss.backward()
    opt.step()
    print(i, loss.item())
