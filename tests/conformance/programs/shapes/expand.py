"""expand repeats without copying; its gradient adds up what was repeated."""

import torch

x = torch.tensor([[1.0], [2.0]], requires_grad=True)
y = x.expand(2, 3)
z = x.expand(4, -1, 2)
print(y, z.shape)
y.backward(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
print(x.grad)
z.sum().backward()
print(x.grad)
for sizes in [(3, 3), (2,), (-1, 2, 2)]:
    try:
        print(x.expand(*sizes).shape)
    except RuntimeError as e:
        print(e)
