"""torch.tensor(t) copies, cuts and warns; as_tensor gives the same tensor."""

import warnings

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    y = torch.tensor(x)
    z = torch.tensor(x * 2, requires_grad=True)
print(y, z, z.is_leaf)
print(len(caught), caught[0].category.__name__)
print(caught[0].message)
print(torch.as_tensor(x) is x)
stacked = torch.tensor([x[0].item(), x[1].item()])
print(stacked.requires_grad)
