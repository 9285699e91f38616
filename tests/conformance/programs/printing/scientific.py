"""One entry a thousand times another, or one that is very large or small: all in scientific form."""

import torch

for values in [[1.0, 1001.5], [1.0, 1000.5], [1e-5, 1e-5], [3e10, 1.0], [1e-10, 0.0], [1e30, float("nan")]]:
    print(torch.tensor(values))
    print(torch.tensor(values, dtype=torch.float64, requires_grad=True))
print(torch.tensor([[1e-8, 1.0], [-1e4, 0.0]]))
print(torch.tensor(1.5e9), torch.tensor(1e-7) * 1, torch.tensor(123456789.0), torch.tensor(0.1 + 0.2))
