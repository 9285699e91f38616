import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
x = torch.randn(8, 4)
t = torch.randn(8, 1)

with torch.no_grad():
    out = model(x)
loss = ((out - t) ** 2).mean()
print(loss.requires_grad, loss.grad_fn)
loss.backward()
