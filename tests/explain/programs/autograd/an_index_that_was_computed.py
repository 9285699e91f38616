import torch
k = torch.tensor([0.1, 0.3], requires_grad=True)
index = torch.argmax(k)
loss = (torch.arange(2.0)[index] - 1) ** 2
loss.backward()
