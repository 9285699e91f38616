import torch
scores = torch.ones(4, 1, requires_grad=True)
y = torch.ones(4)
torch.nn.BCEWithLogitsLoss()(scores, y)
