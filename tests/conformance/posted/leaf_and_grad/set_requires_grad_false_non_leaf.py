import torch

a = torch.ones(2, requires_grad=True)
b = a + 1
print(b)
try:
    b.requires_grad = False
except RuntimeError as e:
    print(e)
b.detach_()
print(b, b.requires_grad, b.is_leaf)
