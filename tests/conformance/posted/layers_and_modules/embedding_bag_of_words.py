import torch
import torch.nn as nn

torch.manual_seed(0)
emb = nn.Embedding(6, 3, padding_idx=0)
ids = torch.tensor([[1, 2, 0], [5, 0, 0]])
e = emb(ids)
print(e.shape, e[1, 1])
mask = (ids != 0).unsqueeze(-1)
avg = (e * mask).sum(1) / mask.sum(1)
print(torch.allclose(avg[1], emb.weight[5]))
e.sum().backward()
print(emb.weight.grad)
