import torch
import torch.nn as nn

torch.manual_seed(0)
logits = torch.randn(3, 3)
labels = torch.tensor([1, 2, 3])     # classes are numbered from 1 in my csv

criterion = nn.CrossEntropyLoss()
print("fixed:", criterion(logits, labels - 1))
print(criterion(logits, labels))
