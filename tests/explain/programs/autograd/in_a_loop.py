import torch
x = torch.ones(4, requires_grad=True)
out = torch.zeros(4)
for i in range(1, 4):
    out[i] = out[i - 1] * x[i] + 1
out.sum().backward()
