"""cross_entropy is log_softmax and nll_loss; its gradient is (softmax - one-hot) / n."""

import torch
import torch.nn.functional as F

labels = torch.tensor([2, 0])
x = torch.tensor([[1.0, 2.0, 3.0], [0.5, -0.5, 1.5]], requires_grad=True)
loss = F.cross_entropy(x, labels)
loss.backward()
print(loss, F.nll_loss(F.log_softmax(x, dim=1), labels))
print(x.grad)
with torch.no_grad():
    print((F.softmax(x, dim=1) - torch.eye(3)[labels]) / 2)
print(F.cross_entropy(x, labels, reduction="none"))
print(F.cross_entropy(x, labels, reduction="sum"))
print(torch.nn.CrossEntropyLoss()(x, labels).item() == loss.item())
