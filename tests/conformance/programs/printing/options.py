"""set_printoptions changes precision, width and the scientific form."""

import torch

x = torch.tensor([1 / 3, 1000 / 3, 1e-6])
print(x)
torch.set_printoptions(precision=2)
print(x, torch.tensor(2.0))
torch.set_printoptions(sci_mode=False)
print(x)
torch.set_printoptions(precision=4, sci_mode=True)
print(torch.tensor([1.5, 2.5]))
torch.set_printoptions(profile="default")
print(torch.tensor([1.5, 2.5]))
torch.set_printoptions(linewidth=30, threshold=5, edgeitems=1)
print(torch.arange(4.0) / 3)
print(torch.arange(10.0))
