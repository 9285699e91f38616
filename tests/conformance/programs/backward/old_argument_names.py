"""retain_variables of 2017 is gone."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for name in ["retain_variables", "retain_graph", "create_graph"]:
    try:
        (x * 1).sum().backward(**{name: False})
        print(name, x.grad)
    except TypeError as e:
        print(e)
