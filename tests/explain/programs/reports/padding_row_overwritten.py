import torch
from torch import nn
torch.manual_seed(0)
e = nn.Embedding(3, 2, padding_idx=0)
print(e.weight[0])
e.weight = nn.Parameter(torch.rand(3, 2))
out = e(torch.tensor([0, 1, 2, 1]))
out.sum().backward()
print(out[0])
print(e.weight.grad)
