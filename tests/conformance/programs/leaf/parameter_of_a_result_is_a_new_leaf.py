"""nn.Parameter takes the values and the memory, not the graph."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
p = torch.nn.Parameter(x * 2)
(p * p).sum().backward()
print(p, p.grad, x.grad)
c = torch.zeros(2)
q = torch.nn.Parameter(c)
c += 5
print(q, q.is_leaf, isinstance(q, torch.nn.Parameter))
print(type(q.data).__name__, type(q.detach()).__name__, type(q + 0).__name__)
