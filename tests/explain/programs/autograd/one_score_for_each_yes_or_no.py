import torch
import torch.nn.functional as F
out = torch.ones(4, requires_grad=True) * 2
labels = torch.tensor([0, 1, 1, 0])
F.cross_entropy(out, labels).backward()
