"""Changes through .data are not noticed."""

import torch

a = torch.tensor([0.0, 0.0], requires_grad=True)
out = a.exp()
c = out.data
c.zero_()
print(out, out._version)
out.sum().backward()
print(a.grad)
