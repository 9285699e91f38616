"""The Jacobian of a batch is block diagonal; summing over the batch gives one block for each sample."""

import torch
from torch.autograd.functional import jacobian

W = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])
J = jacobian(lambda t: (t @ W.T) ** 2, x)
print(J.shape)
print(J[0, :, 0], J[0, :, 1])
S = jacobian(lambda t: ((t @ W.T) ** 2).sum(0), x)
print(S.shape)
print(S)
