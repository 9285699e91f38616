import torch
import torch.nn as nn

torch.manual_seed(0)
drop = nn.Dropout(p=0.5)
x = torch.ones(10)
y = drop(x)
print(sorted(set(y.tolist())))
drop.eval()
print(drop(x), drop.training)

net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.9))
net.eval()
a = net(torch.ones(1, 2))
print(torch.equal(a, net(torch.ones(1, 2))), [m.training for m in net.modules()])
