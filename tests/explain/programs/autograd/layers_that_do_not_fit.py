import torch
one, two = torch.nn.Linear(7, 3), torch.nn.Linear(6, 1)
h = one(torch.ones(4, 7))
two(h).sum().backward()
