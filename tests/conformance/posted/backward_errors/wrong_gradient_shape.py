import torch

a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = a * a
print(b)

# one weight per row?
b.backward(torch.tensor([1.0, 1.0]))
print(a.grad)
