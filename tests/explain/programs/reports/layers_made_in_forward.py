import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.head = nn.Linear(n, 1)
    def forward(self, x):
        h = nn.Linear(2, self.n)(x).clamp(min=0)
        return self.head(h)
net = Net(3)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.tensor([[1.0, 2.0]])
for i in range(4):
    opt.zero_grad()
    loss = (net(x) - 3).pow(2).mean()
    loss.backward()
    opt.step()
    print(i, loss.item() > 0)
print([name for name, _ in net.named_parameters()])
