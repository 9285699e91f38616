"""A view made under no_grad() says that it requires grad, and leads nowhere."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    view, first, product, picked = x.view(2, 1), x[0], x * 1, x[[0]]
for t in [view, first, product, picked]:
    print(t.requires_grad, t.is_leaf, t.grad_fn)
(view * 2).sum().backward()
print(x.grad)
