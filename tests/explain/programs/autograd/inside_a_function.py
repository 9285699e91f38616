import torch
def damp(h):
    h *= 0.5
    return h
x = torch.tensor([1.0, 2.0], requires_grad=True)
a = torch.tanh(x)
b = damp(a)
(a + b).sum().backward()
