import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
for p in backbone.parameters():
    p.requires_grad = False
backbone.eval()
head = nn.Linear(8, 3)
model = nn.Sequential(backbone, head)
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
for epoch in range(5):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    print(round(loss.item(), 3))
