"""A masked score gets no gradient, in place or not."""

import torch

scores = torch.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], requires_grad=True)
mask = torch.tensor([[False, False, True], [True, False, False]])
weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
print(weights)
weights[:, 1].sum().backward()
print(scores.grad)
h = scores * 1
h.masked_fill_(mask, 0.0)
scores.grad = None
h.sum().backward()
print(h, scores.grad)
