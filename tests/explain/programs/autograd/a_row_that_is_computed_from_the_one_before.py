import torch
w = torch.ones(3, 3, requires_grad=True)
h = torch.zeros(4, 3)
for t in range(1, 4):
    h[t] = torch.tanh(h[t - 1] @ w)
h.sum().backward()
