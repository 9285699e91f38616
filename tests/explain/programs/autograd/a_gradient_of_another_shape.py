import torch
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = a * a
v = torch.tensor([1.0, 1.0])
b.backward(v)
