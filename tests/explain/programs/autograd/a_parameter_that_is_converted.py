import torch
W = torch.nn.Parameter(torch.ones(1, 4)).double()
torch.optim.SGD([W], lr=0.1)
