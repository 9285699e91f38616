import torch
w = torch.ones(3, requires_grad=True)
history = []
for step in range(3):
    y = (w * 2).tanh()
    history.append(y)
    sum(history).sum().backward()
