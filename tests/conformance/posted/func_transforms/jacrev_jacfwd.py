import torch
from torch.func import jacrev, jacfwd, hessian

def f(x):
    return torch.stack([x.sum(), (x ** 2).sum()])

x = torch.tensor([1.0, 2.0, 3.0])
print(jacrev(f)(x))
print(torch.equal(jacrev(f)(x), jacfwd(f)(x)))
print(hessian(lambda t: t.prod())(x))
