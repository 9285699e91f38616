import torch
import torch.nn as nn

torch.manual_seed(1)
net = nn.Linear(3, 5)
x = torch.randn(4, 3)
labels = torch.tensor([0, 2, 4, 1])

logits = net(x)
pred = torch.argmax(logits, dim=1)
print(pred.shape, pred.dtype, pred.requires_grad)

# trying to use accuracy as a loss
loss = (pred != labels).float().mean()
try:
    loss.backward()
except RuntimeError as err:
    print(err)
