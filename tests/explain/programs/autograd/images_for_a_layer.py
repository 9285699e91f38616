import torch
net = torch.nn.Linear(12, 2)
x = torch.ones(5, 1, 3, 4)
net(x)
