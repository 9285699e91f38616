import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
crit = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(net.parameters(), lr=1.0)
x = torch.tensor([[-2.0, -1.0], [-1.0, -2.0], [1.0, 2.0], [2.0, 1.0]])
y = torch.tensor([[0.0], [0.0], [1.0], [1.0]])
for i in range(200):
    opt.zero_grad()
    loss = crit(net(x), y)
    loss.backward()
    opt.step()
print(round(loss.item(), 3))
