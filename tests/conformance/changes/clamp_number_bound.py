import torch

x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
for y in (x.clamp(-1, 1), x.clamp(min=-1), x.clamp_max(1)):
    print(y.grad_fn.name(), *torch.autograd.grad(y.sum(), x))
