import torch
import torch.nn as nn

fc = nn.Linear(2, 1)
opt = torch.optim.Adam(fc.parameters(), lr=1e-3)
fc(torch.ones(1, 2)).sum().backward()
print(fc.weight.grad)
opt.zero_grad()
print(fc.weight.grad)
fc(torch.ones(1, 2)).sum().backward()
opt.zero_grad(set_to_none=False)
print(fc.weight.grad)
fc.zero_grad()
fc.weight.grad.zero_()
