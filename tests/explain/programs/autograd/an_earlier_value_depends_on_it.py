import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w * w
total = (h * w).sum()
total.backward(retain_graph=True)
with torch.no_grad():
    w -= 0.1 * w.grad
total.backward()
