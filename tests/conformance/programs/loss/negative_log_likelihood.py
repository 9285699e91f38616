"""nll_loss takes what stands at the label, with the minus sign."""

import torch
import torch.nn.functional as F

p = torch.tensor([[0.25, 0.75], [0.5, 0.5], [0.9, 0.1]], requires_grad=True)
labels = torch.tensor([1, 0, 0])
for reduction in ["none", "sum", "mean"]:
    p.grad = None
    loss = F.nll_loss(p, labels, reduction=reduction)
    loss.sum().backward()
    print(loss)
    print(p.grad)
log_p = p.log()
print(F.nll_loss(log_p, labels), -log_p[torch.arange(3), labels].mean())
