"""numpy() and from_numpy() share the memory in both directions; torch.tensor copies."""

import numpy as np
import torch

t = torch.ones(3)
a = t.numpy()
t.add_(1)
a[0] = 9.0
print(t, a, a.dtype)
n = np.array([1.0, 2.0])
shared, copied = torch.from_numpy(n), torch.tensor(n)
n[1] = 7.0
shared[0] = -1.0
print(n, shared, copied)
shared.requires_grad_()
(shared * shared).sum().backward()
print(shared.grad)
print(torch.as_tensor(n), torch.tensor([1, 2]).numpy().dtype, torch.tensor([True]).numpy())
