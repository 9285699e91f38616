import warnings

import torch

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.jit.script(torch.nn.ReLU())
print(caught[0].category.__name__, caught[0].message)
