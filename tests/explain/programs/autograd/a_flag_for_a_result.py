import torch
w = torch.ones(2, requires_grad=True)
loss = (w * 2).sum()
loss.requires_grad = False
