import torch
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()
for turn in range(2):
    y.backward()
