"""backward() adds into .grad."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    (x * x).sum().backward()
    print(i, x.grad)
x.grad.zero_()
(x * x).sum().backward()
print(x.grad)
