"""Between backward and step the gradients may be changed in any way."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)
(w * torch.tensor([3.0, -40.0])).sum().backward()
w.grad *= 0.1
print(w.grad)
w.grad.clamp_(-1, 1)
print(w.grad)
w.grad[0] = 0.0
optimizer.step()
print(w)
w.grad = torch.tensor([10.0, 10.0])
optimizer.step()
print(w)
