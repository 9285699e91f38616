import torch
from torch.nn import functional as F

distance = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
F.hinge_embedding_loss(distance, torch.tensor([-1, -1, -1]), reduction="sum").backward()
print(distance.grad)
score = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
F.margin_ranking_loss(score, torch.ones(3), torch.ones(3), reduction="sum").backward()
print(score.grad)
