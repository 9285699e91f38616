import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = []
for k in range(3):
    losses.append(((w - k) ** 2).sum().item())
total = torch.tensor(losses).mean()
total.backward()
