import torch
from torch import nn
for crit, act in ((nn.BCELoss(), torch.sigmoid), (nn.BCEWithLogitsLoss(), lambda t: t)):
    w = torch.tensor([0.0], requires_grad=True)
    x = torch.tensor([1.0], requires_grad=True)
    loss = crit(act(w * x), torch.tensor([0.0]))
    loss.backward()
    print(loss, w.grad, x.grad)
p = torch.tensor([[0.0], [1.0]], requires_grad=True)
loss = nn.BCELoss()(p, torch.tensor([[1.0], [1.0]]))
print(loss)
loss.backward()
print(p.grad)
loss = nn.BCEWithLogitsLoss()(p, torch.tensor([1.0, 0.0]))
