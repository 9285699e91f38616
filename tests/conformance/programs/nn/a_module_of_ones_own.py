"""Parameters and modules that are attributes are found; plain tensors are not."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.plain = torch.tensor(3.0, requires_grad=True)
        self.inner = nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.scale * self.inner(x) + self.plain


model = Model()
with torch.no_grad():
    model.inner.weight.copy_(torch.tensor([[1.0, -1.0]]))
print([name for name, _ in model.named_parameters()])
print([name for name, _ in model.named_children()])
print(model)
y = model(torch.tensor([[3.0, 1.0]]))
y.backward()
print(y, model.scale.grad, model.inner.weight.grad, model.plain.grad)
model.zero_grad()
print(model.scale.grad, model.plain.grad)
