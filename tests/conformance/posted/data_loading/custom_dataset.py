import torch
from torch.utils.data import Dataset, DataLoader

class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor(i), i ** 2

for x, y in DataLoader(Squares(7), batch_size=3, shuffle=False):
    print(x, y, y.dtype)
print(type(next(iter(DataLoader(Squares(4))))))
