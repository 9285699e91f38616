"""The loss of the discriminator must not reach the generator: detach its sample."""

import torch

g = torch.tensor(0.5, requires_grad=True)
d = torch.tensor(2.0, requires_grad=True)
fake = g * 3
for_d = torch.sigmoid(d * fake.detach()).log()
for_d.backward()
print(g.grad, d.grad)
d.grad = None
for_g = torch.sigmoid(d * fake).log()
for_g.backward()
print(g.grad, d.grad)
