import torch

t = torch.tensor(2.0, requires_grad=True)
u = torch.exp(-t) * t
du, = torch.autograd.grad(u, t)
print(f"first derivative: {du:.4f}")
d2u, = torch.autograd.grad(du, t)
print(f"second derivative: {d2u:.4f}")
