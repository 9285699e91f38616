"""Each row of the Jacobian of softmax; the rows of the gradient of log_softmax sum to zero."""

import torch
import torch.nn.functional as F

x = torch.tensor([1.0, 2.0, 0.5], requires_grad=True)
p = torch.softmax(x, dim=0)
print(p)
for i in range(3):
    print(torch.autograd.grad(p[i], x, retain_graph=True)[0])
p.backward(torch.ones(3))
print(x.grad.abs().max() < 1e-6)
m = torch.tensor([[1.0, 2.0], [1000.0, 1000.0]], requires_grad=True)
y = F.log_softmax(m, dim=1)
y.backward(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
print(y)
print(m.grad)
print(m.softmax(0))
