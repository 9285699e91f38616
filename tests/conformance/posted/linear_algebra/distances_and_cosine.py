import torch
import torch.nn.functional as F

a = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
b = torch.tensor([[0.0, 0.0], [6.0, 8.0], [3.0, 0.0]])
print(torch.cdist(a, b))
print((a[:, None, :] - b[None, :, :]).pow(2).sum(-1).sqrt())
print(F.cosine_similarity(a[1:], b, dim=1))
print(F.normalize(b, dim=1))
print(torch.cross(torch.tensor([1.0, 0, 0]), torch.tensor([0, 1.0, 0]), dim=0), torch.tril(torch.ones(2, 2)))
