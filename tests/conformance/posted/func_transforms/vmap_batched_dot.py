import torch
from torch import vmap

a = torch.arange(6.0).view(3, 2)
b = torch.ones(3, 2)
print(vmap(torch.dot)(a, b))
print((a * b).sum(1))
print(vmap(torch.dot, in_dims=(0, None))(a, b[0]))
print(vmap(lambda v: v.flip(0), out_dims=1)(a))
vmap(lambda v: v.sum().item())(a)
