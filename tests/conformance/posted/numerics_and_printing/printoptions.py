import torch

x = torch.tensor([1e-4, 1.0, 12345.678])
print(x)
torch.set_printoptions(sci_mode=False, precision=2)
print(x)
print(x[2])
torch.set_printoptions(profile="default")
print(torch.arange(2000))
print(torch.zeros(2, 0), torch.tensor(3.14159))
print(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 200.25]), torch.tensor([1e10, 1.0]))
