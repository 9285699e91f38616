import torch

torch.manual_seed(123)
x = torch.normal(mean=5.0, std=2.0, size=(10000,))
print(f"{x.mean():.1f} {x.std():.1f}")
u = torch.empty(10000).uniform_(-1, 1)
print(u.min() >= -1, u.max() < 1, f"{u.mean().abs():.2f}")
b = torch.bernoulli(torch.full((10000,), 0.25))
print(b.unique(), round(b.mean().item(), 2))
print(torch.randn_like(x).shape, torch.rand(2, 1).dtype)
