import torch
w = torch.nn.Parameter(torch.ones(3))
w = w * 0.1
(w ** 2).sum().backward()
print(w.grad.norm())
