import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
scale = w.exp()
for t in range(3):
    loss = (scale * t).sum()
    loss.backward()
