import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
stem = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8))
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*stem.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(12, 4), torch.randn(12, 1)
for step in range(4):
    opt.zero_grad()
    h = checkpoint(stem, x, use_reentrant=True)
    loss = nn.functional.mse_loss(head(h), y)
    loss.backward()
    opt.step()
