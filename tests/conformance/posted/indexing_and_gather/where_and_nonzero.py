import torch

scores = torch.tensor([0.2, 0.9, 0.6, 0.4])
print(torch.where(scores > 0.5, 1, 0))
print(torch.where(scores > 0.5))
print(torch.nonzero(scores > 0.5))
print((scores > 0.5).nonzero().squeeze())
print(torch.where(scores > 0.5, scores, torch.zeros_like(scores)))
i, = (scores > 0.5).nonzero(as_tuple=True)
print(i.tolist())
