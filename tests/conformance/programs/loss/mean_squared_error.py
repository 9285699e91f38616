"""mse_loss with its reductions, and its gradient 2 (x - t) / n."""

import torch
import torch.nn.functional as F

t = torch.tensor([1.0, 2.0, 3.0, 5.0])
for reduction in ["mean", "sum", "none"]:
    x = torch.tensor([2.0, 2.0, 1.0, 4.0], requires_grad=True)
    loss = F.mse_loss(x, t, reduction=reduction)
    loss.backward(torch.ones_like(loss))
    print(loss, x.grad)
print(torch.nn.MSELoss(), torch.nn.MSELoss(reduction="sum")(x, t))
