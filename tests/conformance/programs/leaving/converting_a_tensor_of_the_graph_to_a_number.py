"""float() of a tensor of the graph warns, once in a process; of a detached one it does not."""

import warnings

import torch

x = torch.tensor(2.5, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(float(x.detach()), x.item(), float(x), int(x), float(x * 2))
for each in caught:
    print(each.category.__name__, str(each.message).split(" (Triggered")[0])
