import torch
loss = torch.ones(2, requires_grad=True).sum()
loss.item().backward()
