"""var and std divide by n - 1, so that one entry has none; at equal entries the gradient of std is 0."""

import torch

x = torch.tensor([1.0, 2.0, 4.0, 7.0], requires_grad=True)
for f in [torch.var, torch.std, lambda t: t.var(unbiased=False), lambda t: t.std(correction=0)]:
    x.grad = None
    y = f(x)
    y.backward()
    print(y, x.grad)
m = torch.tensor([[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]], requires_grad=True)
print(m.var(dim=1), m.std(0, keepdim=True))
m.std(dim=1).sum().backward()
print(m.grad)
print(torch.tensor([5.0]).std())
