"""First the hooks of a leaf, then accumulation, then the hooks after it."""

import torch

x = torch.tensor(2.0, requires_grad=True)
x.grad = torch.tensor(100.0)
x.register_post_accumulate_grad_hook(lambda t: print("after", t.grad))
x.register_hook(lambda g: print("hook", g, x.grad))
x.register_hook(lambda g: g * 2)
(x * 3).backward()
print(x.grad)
