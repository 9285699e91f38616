import copy
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.b = nn.Linear(3, 1)
        self.features = None
    def forward(self, x):
        self.features = torch.tanh(self.a(x))
        return self.b(self.features)
torch.manual_seed(0)
net = Net()
loss = net(torch.ones(4, 2)).mean()
loss.backward()
best = copy.deepcopy(net)
print(best.a.weight)
