import torch
from torch import nn

torch.manual_seed(0)


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(5, 8), nn.ReLU())
        self.heads = {}
        for name, size in tasks.items():
            self.heads[name] = nn.Linear(8, size)

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


net = MultiTask({"age": 1, "kind": 3})
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x, age, kind = torch.randn(10, 5), torch.randn(10, 1), torch.randint(0, 3, (10,))
for step in range(3):
    out = net(x)
    loss = nn.functional.mse_loss(out["age"], age) + nn.functional.cross_entropy(out["kind"], kind)
    opt.zero_grad()
    loss.backward()
    opt.step()
