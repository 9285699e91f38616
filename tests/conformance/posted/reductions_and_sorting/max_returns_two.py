import torch

x = torch.tensor([[3, 9, 1], [8, 2, 7]])
print(x.max())
values, indices = x.max(dim=1)
print(values, indices)
print(torch.max(x, dim=0))
print(x.argmax(), x.argmax(dim=1), x.amax(1))
print(torch.max(x, torch.tensor(5)))
print(torch.maximum(x[0], x[1]))
