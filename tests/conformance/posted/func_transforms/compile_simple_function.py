import torch

def f(x, y):
    return torch.sin(x) ** 2 + torch.cos(y) ** 2

g = torch.compile(f, backend="eager")
x = torch.linspace(0, 3, 4)
print(g(x, x))
print(torch.allclose(f(x, x), g(x, x)))
