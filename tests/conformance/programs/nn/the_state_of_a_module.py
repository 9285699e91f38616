"""state_dict() holds detached tensors on the same memory; load_state_dict copies into the parameters."""

import torch
from torch import nn

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(2, 1), nn.Tanh())
state = net.state_dict()
for name, value in state.items():
    print(name, value, value.requires_grad)
with torch.no_grad():
    net[0].weight.fill_(0.5)
print(state["0.weight"])
other = nn.Sequential(nn.Linear(2, 1), nn.Tanh())
print(other.load_state_dict(state))
print(other[0].weight, other[0].weight is net[0].weight)
print(type(state).__name__, list(state))
