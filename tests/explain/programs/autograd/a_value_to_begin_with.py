import torch
w = torch.ones(3, requires_grad=True)
w = w * 0.1
(w ** 2).sum().backward()
print(w.grad.norm())
