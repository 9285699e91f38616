import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
opt.zero_grad()
for epoch in range(3):
    for xb, yb in loader:
        loss = nn.functional.mse_loss(net(xb), yb)
        loss.backward()
        opt.step()
    print(epoch, loss.item())
