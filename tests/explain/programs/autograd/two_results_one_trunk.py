import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x ** 2
a = h.sum()
b = h.mean()
a.backward()
b.backward()
