import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
seen = w.sum().item()
x = torch.tensor([3.0, 4.0])
loss = x.sum()
loss.backward()
