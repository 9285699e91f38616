import torch
import torch.nn.functional as F

logits = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
y = torch.tensor([0, 0, -100])
print(F.cross_entropy(logits, y))
print(F.cross_entropy(logits[:2], y[:2]))
w = torch.tensor([1.0, 5.0])
print(F.cross_entropy(logits, torch.tensor([0, 1, 1]), weight=w))
print(F.cross_entropy(logits, torch.tensor([0, 1, 1]), label_smoothing=0.1))
print(F.cross_entropy(logits, y, reduction="none"))
