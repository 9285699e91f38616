import torch

x = torch.ones(3, requires_grad=True) * 2
x[:] = 5.0
print(x)
x = torch.ones(3, requires_grad=True) * 2
x[0] = 5.0
print(x, len(x.grad_fn.next_functions))
