import torch
w = torch.ones(3, requires_grad=True)
h = torch.zeros(3)
for batch in range(3):
    for t in range(4):
        h = torch.tanh(w * h + t)
    h.sum().backward()
