"""A module does not look into lists: such parameters are neither listed nor trained."""

import torch
from torch import nn


class Hidden(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = [nn.Parameter(torch.ones(2)) for _ in range(2)]
        self.layers = [nn.Linear(1, 1)]


class Registered(Hidden):
    def __init__(self):
        super().__init__()
        for i, w in enumerate(self.weights):
            self.register_parameter(f"w{i}", w)
        self.add_module("layer", self.layers[0])


print(len(list(Hidden().parameters())), [name for name, _ in Registered().named_parameters()])
try:
    torch.optim.SGD(Hidden().parameters(), lr=0.1)
except ValueError as e:
    print(e)
print(Registered())
