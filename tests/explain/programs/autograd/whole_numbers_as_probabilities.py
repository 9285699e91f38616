import torch
p = torch.full((2,), 0.5, requires_grad=True)
torch.nn.functional.binary_cross_entropy(p, torch.tensor([0, 1]))
