import torch
x = torch.tensor([1.0, 1e10], requires_grad=True)
y = torch.where(x <= 10, torch.exp(x), torch.tensor(1.0))
print(y)
y.sum().backward()
print(x.grad)
