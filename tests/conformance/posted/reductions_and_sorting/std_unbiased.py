import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
print(x.std(), x.var())
print(x.std(unbiased=False), x.var(correction=0))
print(((x - x.mean()) ** 2).mean().sqrt())
print(torch.std_mean(x))
print(torch.tensor([5.0]).std(unbiased=False), torch.norm(x), x.norm(p=1))
z = (x - x.mean()) / x.std()
print(z, z.mean().abs() < 1e-6)
