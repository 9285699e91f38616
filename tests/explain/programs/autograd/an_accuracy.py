import torch
x, y = torch.ones(3, 2), torch.tensor([1.0, 0.0, 1.0])
w = torch.ones(2, requires_grad=True)
p = torch.sigmoid(x @ w)
loss = 1 - ((p > 0.5).float() == y).float().mean()
loss.backward()
