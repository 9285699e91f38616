import torch
scores = torch.ones(2, requires_grad=True)
labels = torch.tensor([0, 1])
torch.nn.functional.binary_cross_entropy_with_logits(scores * 2, labels)
