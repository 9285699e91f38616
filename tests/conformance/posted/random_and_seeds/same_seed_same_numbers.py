import torch

torch.manual_seed(0)
a = torch.rand(3)
b = torch.rand(3)
torch.manual_seed(0)
c = torch.rand(3)
print(a)
print(b)
print(torch.equal(a, c), torch.equal(a, b))
print(torch.initial_seed())
