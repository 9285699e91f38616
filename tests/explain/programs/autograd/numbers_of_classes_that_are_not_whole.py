import torch
scores = torch.ones(2, 3, requires_grad=True)
target = torch.tensor([0.0, 1.0])
torch.nn.CrossEntropyLoss()(scores * 2, target)
