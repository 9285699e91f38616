import torch
torch.set_grad_enabled(False)
w = torch.ones(2, requires_grad=True)
y = (w * 2).sum()
y.backward()
