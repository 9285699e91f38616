import torch
x = torch.ones(3, requires_grad=True)
u = torch.ones(3, requires_grad=True)
seen = x.detach() > 0
loss = ((x * 2).detach() * u).sum()
loss.backward()
print(x.grad.norm())
