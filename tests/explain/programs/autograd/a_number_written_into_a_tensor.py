import torch
x = torch.ones(3, requires_grad=True)
buffer = torch.zeros(2)
buffer[0] = x.sum().item()
loss = buffer.sum()
loss.backward()
