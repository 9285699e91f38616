import torch
a = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([a * 2], lr=0.1)
