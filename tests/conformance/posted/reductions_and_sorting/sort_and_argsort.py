import torch

t = torch.tensor([3.0, 1.0, 2.0, 5.0])
s, idx = torch.sort(t, descending=True)
print(s)
print(idx)
print(t[idx].equal(s))
order = torch.argsort(t)
print(order, torch.argsort(order))
print(t.sort().values, t.kthvalue(2))
