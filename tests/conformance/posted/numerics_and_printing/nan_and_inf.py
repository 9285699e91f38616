import torch

x = torch.tensor([1.0, 0.0, -1.0])
print(x / 0, torch.log(x), torch.sqrt(x))
n = torch.tensor([1.0, float("nan"), 3.0])
print(n.mean(), n.nanmean(), n.max())
print(n == n, torch.isnan(n), torch.isnan(n).any())
print(torch.nan_to_num(torch.tensor([float("nan"), float("inf")])))
print(n[~n.isnan()], torch.isfinite(x / 0))
