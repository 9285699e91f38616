import torch
import torch.nn as nn

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(2, 3)
x.requires_grad = True

net(x).sum().backward()
print(x.grad.shape)
print(x.grad)
x.grad = None
print(x.grad)
