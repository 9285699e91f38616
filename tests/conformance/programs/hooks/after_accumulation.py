"""A post-accumulate hook gets the leaf, once its .grad is complete."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)


def step(p):
    with torch.no_grad():
        p -= 0.1 * p.grad
    p.grad = None


handle = w.register_post_accumulate_grad_hook(step)
for _ in range(3):
    (w * w).sum().backward()
    print(w, w.grad)
handle.remove()
(w * w).sum().backward()
print(w.grad)
try:
    (w * 1).register_post_accumulate_grad_hook(step)
except RuntimeError as e:
    print(e)
