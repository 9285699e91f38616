"""Names mean nothing to the graph: a loop that rebinds one name records each step."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x
for _ in range(3):
    y = y * y
y.backward()
print(y, x.grad)
