import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(inplace=True))
y = net(torch.ones(1, 2)) * 1
y.sum().backward()
