import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
a = net(torch.ones(2, 3)).sum()
b = net(torch.zeros(2, 3)).mean()
a.backward(retain_graph=True)
opt.step()
b.backward()
