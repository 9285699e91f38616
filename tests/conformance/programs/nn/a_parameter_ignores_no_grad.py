"""A Parameter requires grad, also under no_grad()."""

import torch

with torch.no_grad():
    p = torch.nn.Parameter(torch.ones(2))
    q = p * 2
print(p.requires_grad, q.requires_grad)
r = torch.nn.Parameter(torch.ones(2), requires_grad=False)
print(r.requires_grad, r)
