"""A cast is recorded, and the gradient is cast back; to integers nothing is recorded."""

import torch

x = torch.tensor([1.25, 2.75], requires_grad=True)
for y in [x.double(), x.to(torch.float64), x.type(torch.float64), x.to(torch.tensor(1.0, dtype=torch.float64))]:
    print(y)
(x.double() * 3).sum().backward()
print(x.grad, x.grad.dtype)
for y in [x.long(), x.bool(), x.to(torch.int64), x.detach().long().float()]:
    print(y, y.requires_grad)
print(x.to(torch.float32) is x, x.float() is x, x.to("cpu") is x)
