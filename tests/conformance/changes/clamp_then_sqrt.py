import torch

x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
x.clamp(min=0).sqrt().sum().backward()
print(x.grad)
