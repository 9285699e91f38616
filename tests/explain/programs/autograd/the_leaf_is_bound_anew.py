import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    w = w - 0.1 * w.grad
