"""A hook runs once in a backward, when all paths have arrived."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x + 0
seen = []
h.register_hook(seen.append)
x.register_hook(seen.append)
loss = (h * 3).sum() + (h * h).sum()
loss.backward(retain_graph=True)
print(seen)
loss.backward()
print(len(seen), x.grad)
