import torch
w = torch.ones(2, requires_grad=True)
losses = [(w * k).sum() for k in range(2)]
losses.backward()
