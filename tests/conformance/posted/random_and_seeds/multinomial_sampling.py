import torch

torch.manual_seed(0)
weights = torch.tensor([0.1, 0.0, 0.6, 0.3])
draws = torch.multinomial(weights, 1000, replacement=True)
print(torch.bincount(draws, minlength=4) / 1000)
print(sorted(torch.multinomial(weights, 3).tolist()))
