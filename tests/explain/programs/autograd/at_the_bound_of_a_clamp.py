import torch
w = torch.zeros(3, requires_grad=True)
loss = w.clamp(min=0.0).sum()
loss.backward()
print(w.grad)
