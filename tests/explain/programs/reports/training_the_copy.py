import copy
import torch
from torch import nn
torch.manual_seed(0)
base = nn.Linear(2, 1)
opt = torch.optim.SGD(base.parameters(), lr=0.1)
model = copy.deepcopy(base)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
    print(i, loss.item())
