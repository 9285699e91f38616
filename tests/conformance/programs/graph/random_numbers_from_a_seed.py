"""Numbers drawn from a seed, and a gradient through what was made of them."""

import torch

torch.manual_seed(42)
print(torch.rand(3))
print(torch.randn(2, 2))
print(torch.randint(0, 10, (5,)))
torch.manual_seed(42)
x = torch.rand(3, requires_grad=True)
noise = torch.rand_like(x)
print(x, noise.requires_grad)
mean, log_std = torch.tensor(1.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)
sample = mean + log_std.exp() * torch.randn(4)
sample.sum().backward()
print(sample, mean.grad, log_std.grad)
