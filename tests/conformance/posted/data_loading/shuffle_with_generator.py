import torch
from torch.utils.data import DataLoader

data = torch.arange(8)

def order(seed):
    g = torch.Generator()
    g.manual_seed(seed)
    return torch.cat(list(DataLoader(data, batch_size=4, shuffle=True, generator=g)))

print(order(0).tolist())
print(order(0).equal(order(0)), order(0).equal(order(1)))
print(order(5).sort().values)
