"""A hook that returns None looks at the gradient and leaves it alone."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
handle = h.register_hook(lambda g: print("hook", g))
(h * h).sum().backward()
print(x.grad)
handle.remove()
(x * 2).sum().backward()
print(x.grad)
