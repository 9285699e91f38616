import warnings

import torch

weights = {torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.zeros(1))}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    optimizer = torch.optim.SGD(weights, lr=0.1)
print(len(optimizer.param_groups[0]["params"]), *[each.category.__name__ for each in caught])
