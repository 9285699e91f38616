import torch
x = torch.arange(3)
torch.nn.Linear(3, 1)(x[None])
