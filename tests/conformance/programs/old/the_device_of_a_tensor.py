"""Scripts that ask for a GPU fall back to the CPU, where to() gives the same tensor."""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.to(device)
w = torch.ones(2, device=device, requires_grad=True)
print(device, y is x, w.device, x.cpu() is x)
net = torch.nn.Linear(2, 1).to(device)
print(next(net.parameters()).is_leaf, w.is_leaf)
