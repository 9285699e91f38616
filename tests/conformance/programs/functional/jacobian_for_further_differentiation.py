"""create_graph=True: the Jacobian itself can be differentiated."""

import torch
from torch.autograd.functional import jacobian

w = torch.tensor([2.0, 3.0], requires_grad=True)
J = jacobian(lambda t: t**3, w, create_graph=True)
print(J.requires_grad)
print(J)
J.sum().backward()
print(w.grad)
print(jacobian(lambda t: t**3, w).requires_grad)
