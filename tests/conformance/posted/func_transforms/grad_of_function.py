import torch
from torch.func import grad, vmap

f = lambda x: torch.sin(x) * x
x = torch.tensor(0.5)
print(grad(f)(x))
print(torch.sin(x) + x * torch.cos(x))
print(grad(grad(f))(x))
xs = torch.linspace(0, 1, 3)
print(vmap(grad(f))(xs))
