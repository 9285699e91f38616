import torch
scores = torch.ones(2, 3, requires_grad=True)
y = torch.tensor([[0], [2]])
torch.nn.functional.cross_entropy(scores, y)
