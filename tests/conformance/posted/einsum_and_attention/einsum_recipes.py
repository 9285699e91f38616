import torch

A = torch.arange(6.0).view(2, 3)
B = torch.arange(12.0).view(3, 4)
v = torch.tensor([1.0, 2.0, 3.0])
print(torch.einsum("ij,jk->ik", A, B))
print(torch.einsum("ij->ji", A).shape, torch.einsum("ij->", A))
print(torch.einsum("ij,j->i", A, v))
print(torch.einsum("i,j->ij", v, v))
print(torch.einsum("ii->i", torch.eye(3) * 5))
print(torch.einsum("bij,bjk->bik", torch.ones(2, 3, 4), torch.ones(2, 4, 5)).shape)
