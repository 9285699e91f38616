"""autograd.grad runs the tensor hooks on its way, stores nothing and runs no post-accumulate hook."""

import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * 3
h.retain_grad()
h.register_hook(lambda g: g * 10)
x.register_hook(lambda g: g + 1)
x.register_post_accumulate_grad_hook(lambda t: print("not called"))
print(torch.autograd.grad(h * h, x, retain_graph=True))
print(torch.autograd.grad(h * h, [h, x]))
print(x.grad, h.grad)
