import torch
scores = torch.ones(2, 3, requires_grad=True)
labels = torch.tensor([[1, 0, 0], [0, 0, 1]])
torch.nn.functional.cross_entropy(scores, labels)
