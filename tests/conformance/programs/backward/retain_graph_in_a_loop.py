"""With retain_graph=True the same graph gives its gradient again, and it accumulates."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
for i in range(3):
    y.backward(retain_graph=i < 2)
    print(i, x.grad)
try:
    y.backward()
except RuntimeError as e:
    print(str(e)[:57])
