import torch

values = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
group = torch.tensor([0, 1, 0, 2, 1])

sums = torch.zeros(3).scatter_add_(0, group, values)
counts = torch.bincount(group, minlength=3)
print(sums, counts)
print("mean per group", sums / counts)
print(torch.zeros(3).index_add_(0, group, values))
print(torch.full((3,), -1.0).scatter_reduce(0, group, values, reduce="amax"))
