"""The first weights of a Linear follow from the seed, and its gradients have their shapes."""

import torch

torch.manual_seed(0)
layer = torch.nn.Linear(3, 2)
print(layer)
print(layer.weight)
print(layer.bias)
x = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]])
y = layer(x)
print(y)
y.backward(torch.tensor([[1.0, 0.0], [0.0, 10.0]]))
print(layer.weight.grad)
print(layer.bias.grad)
print(torch.nn.Linear(2, 2, bias=False).bias)
