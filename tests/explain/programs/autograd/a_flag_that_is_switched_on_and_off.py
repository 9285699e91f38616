import torch
x = torch.ones(3, requires_grad=True)
w = torch.ones(3)
w.requires_grad_(False)
w.requires_grad = True
w.requires_grad_(False)
(w * x).sum().backward()
w.grad.norm()
