import torch

x = torch.tensor([-1.0, 0.0, 1.0])
print(torch.func.jvp(lambda t: t.clamp(min=0), (x,), (torch.ones(3),))[1])
