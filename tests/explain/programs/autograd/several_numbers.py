import torch
def total(x):
    return x * 2
x = torch.ones(3, requires_grad=True)
y = total(x)
y.backward()
