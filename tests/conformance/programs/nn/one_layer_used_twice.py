"""A layer used twice has one gradient: the sum of both uses."""

import torch
from torch import nn

layer = nn.Linear(2, 2, bias=False)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[1.0, 2.0], [0.5, -1.0]]))
x = torch.tensor([1.0, 3.0])
layer(layer(x)).sum().backward()
print(layer.weight.grad)
net = nn.Sequential(layer, layer)
print(len(list(net.parameters())), list(net.state_dict()))
encoder, decoder = nn.Linear(2, 3, bias=False), nn.Linear(3, 2, bias=False)
decoder.weight = nn.Parameter(encoder.weight.detach().T.clone())
encoder.weight.data.fill_(2.0)
print(torch.equal(decoder.weight, encoder.weight.T))
head = nn.Linear(2, 3, bias=False)
head.weight = encoder.weight
(head(x).sum() + 10 * encoder(x).sum()).backward()
print(head.weight.grad)
