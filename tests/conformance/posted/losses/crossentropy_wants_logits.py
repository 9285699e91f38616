import torch
import torch.nn as nn
import torch.nn.functional as F

logits = torch.tensor([[2.0, 0.5, -1.0], [0.0, 3.0, 0.0]])
y = torch.tensor([0, 1])
criterion = nn.CrossEntropyLoss()
print(criterion(logits, y))
print(F.nll_loss(F.log_softmax(logits, dim=1), y))
print("softmax twice:", criterion(F.softmax(logits, dim=1), y))
manual = -F.softmax(logits, 1)[range(2), y].log().mean()
print(manual)
