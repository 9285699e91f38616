import torch

T = 4
mask = torch.triu(torch.ones(T, T), diagonal=1).bool()
print(mask)
scores = torch.zeros(T, T).masked_fill(mask, float("-inf"))
print(torch.softmax(scores, dim=-1))
print(torch.softmax(torch.full((3,), float("-inf")), dim=0))
print(torch.tril(torch.ones(2, 2, dtype=torch.long)))
