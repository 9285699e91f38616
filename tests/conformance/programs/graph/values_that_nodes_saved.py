"""Saved values are attributes of the node, until backward frees them."""

import torch

x = torch.tensor([1.0, 4.0], requires_grad=True)
w = torch.tensor([3.0, 2.0], requires_grad=True)
product, power, root, scaled = x * w, x**3, x.sqrt(), x * 2
print(product.grad_fn._saved_self is x, product.grad_fn._saved_other)
print(power.grad_fn._saved_self, power.grad_fn._saved_exponent)
print(root.grad_fn._saved_result, root.grad_fn._saved_result is root)
print((x * torch.ones(2)).grad_fn._saved_self)
product.sum().backward()
try:
    print(product.grad_fn._saved_self)
except RuntimeError as e:
    print(str(e).split(". ")[0])
