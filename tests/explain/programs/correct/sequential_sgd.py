import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 2)
y = ((x**2).sum(1, keepdim=True) > 1).float()
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
crit = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=40)
for epoch in range(40):
    opt.zero_grad()
    loss = crit(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
net.eval()
with torch.no_grad():
    print(((net(x) > 0) == (y > 0.5)).float().mean().item() > 0.5)
