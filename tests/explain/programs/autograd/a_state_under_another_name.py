import torch
w = torch.ones(3, requires_grad=True)
state = torch.zeros(3)
for step in range(3):
    prev = state
    h = torch.tanh(w * prev + 1)
    h.sum().backward()
    state = h
