"""After a change in place a hook still belongs to the value it was registered on."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("before", g))
y.mul_(10)
y.register_hook(lambda g: print("after", g))
y.sum().backward()
print(x.grad)
