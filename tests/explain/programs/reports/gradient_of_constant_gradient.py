import torch
a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = a * 2
c = b.sum()
(d,) = torch.autograd.grad(c, b, torch.tensor(2.0), create_graph=True)
print(d, d.grad_fn)
d.sum().backward()
print(a.grad)
