import torch
import torch.nn.functional as F

labels = torch.tensor([0, 2, 1, 2])
onehot = torch.zeros(4, 3)
onehot.scatter_(1, labels.view(-1, 1), 1)
print(onehot)
print(F.one_hot(labels, num_classes=3))
print(torch.eye(3)[labels].equal(onehot))
print(onehot.argmax(1))
