import torch
import torch.nn as nn

criterion = nn.BCEWithLogitsLoss()
output = torch.zeros(8, 1)
labels = torch.ones(8)
print(criterion(output.squeeze(1), labels))
loss = criterion(output, labels)
