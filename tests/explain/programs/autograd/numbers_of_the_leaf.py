import torch
x = torch.ones(3, requires_grad=True)
y = (x.detach().numpy() * 2).sum()
z = torch.tensor(y, requires_grad=True)
z.backward()
print(x.grad.norm())
