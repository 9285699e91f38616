import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
x, y = torch.randn(6, 5), torch.randint(0, 3, (6,))
x.requires_grad = True
loss = nn.functional.cross_entropy(net(x), y)
net.zero_grad()
loss.backward()
changed = x + 0.1 * x.grad.sign()
print((net(changed).argmax(1) == y).float().mean().item())
