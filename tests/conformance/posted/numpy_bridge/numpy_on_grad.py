import torch

x = torch.ones(3, requires_grad=True)
y = x * 2
print(y.detach().numpy())
print(y.tolist())
print(y.numpy())
