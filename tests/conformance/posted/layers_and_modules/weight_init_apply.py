import torch
import torch.nn as nn

def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.5)
        nn.init.zeros_(m.bias)

net = nn.Sequential(nn.Linear(2, 3), nn.Sigmoid(), nn.Linear(3, 1))
net.apply(init_weights)
print(net[0].weight)
print(net[2].bias)
print(net(torch.tensor([[1.0, 1.0]])))
torch.manual_seed(0)
nn.init.xavier_uniform_(net[0].weight)
print(net[0].weight.abs().max() <= (6 / 5) ** 0.5)
w = nn.init.kaiming_normal_(torch.empty(200, 100))
print(round(w.std().item(), 2))
