import torch

q = torch.ones(2, 5, 8)
k = torch.ones(2, 7, 8)
print(torch.einsum("bqd,bkd->bqk", q, k).shape)
try:
    torch.einsum("bqd,bdk->bqk", q, k)
except RuntimeError as e:
    print(e)
torch.einsum("qd,bkd->bqk", q, k)
