import torch
from torch.func import jvp, vjp

def f(x):
    return x ** 2

x = torch.tensor([1.0, 2.0, 3.0])
out, tangent = jvp(f, (x,), (torch.tensor([1.0, 0.0, 0.0]),))
print(out, tangent)
out, pull = vjp(f, x)
print(pull(torch.ones(3)))
