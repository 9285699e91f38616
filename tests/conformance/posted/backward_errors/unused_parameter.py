import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
out = a * 5

grads = torch.autograd.grad(out, [a, b], allow_unused=True)
print(grads)

out = a * 5
try:
    torch.autograd.grad(out, [a, b])
except RuntimeError as e:
    print(type(e).__name__, e)
