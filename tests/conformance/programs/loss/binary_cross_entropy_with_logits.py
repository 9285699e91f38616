"""The loss of two classes from logits: its gradient is (sigmoid - target) / n."""

import torch
import torch.nn.functional as F

z = torch.tensor([0.0, 2.0, -100.0], requires_grad=True)
t = torch.tensor([1.0, 0.0, 1.0])
loss = F.binary_cross_entropy_with_logits(z, t)
print(loss)
loss.backward()
print(z.grad, (torch.sigmoid(z) - t) / 3)
print(F.binary_cross_entropy_with_logits(z, t, reduction="none"))
print(F.binary_cross_entropy_with_logits(z, t, reduction="sum"))
try:
    F.binary_cross_entropy_with_logits(z, t[:2])
except ValueError as e:
    print(e)
