import torch

a = torch.tensor(0.1) + torch.tensor(0.2)
print(a == 0.3, torch.tensor(0.1).item())
print(torch.isclose(a, torch.tensor(0.3)))
print((torch.tensor(0.1) * 3 == torch.tensor(0.3)).item())
print(torch.tensor(16777216.0) + 1)
print(torch.tensor(16777216.0, dtype=torch.float64) + 1)
print(torch.allclose(torch.tensor([1e-9]), torch.zeros(1)), torch.tensor(0.1, dtype=torch.float64).item())
