"""XOR with one hidden layer: the losses of some epochs and the four answers."""

import torch
from torch import nn

torch.manual_seed(4)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
loss_function = nn.BCEWithLogitsLoss()
for epoch in range(101):
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    optimizer.step()
    if epoch % 25 == 0:
        print(epoch, f"{loss.item():.3f}")
print((net(x) > 0).flatten().tolist())
