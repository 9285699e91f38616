import torch
from torch.utils.data import DataLoader, TensorDataset

X = torch.arange(10).float().view(5, 2)
y = torch.tensor([0, 1, 0, 1, 1])
ds = TensorDataset(X, y)
print(len(ds), ds[2])
loader = DataLoader(ds, batch_size=2)
for i, (xb, yb) in enumerate(loader):
    print(i, xb.shape, yb)
print(len(loader), len(DataLoader(ds, batch_size=2, drop_last=True)))
