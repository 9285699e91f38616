import torch
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
params = torch.tensor([a, b])
loss = (params ** 2).sum()
loss.backward()
