import torch

A = torch.arange(6.0).view(2, 3)
B = torch.ones(3, 2)
v = torch.tensor([1.0, 0.0, -1.0])
print(torch.mm(A, B), A.matmul(v), torch.mv(A, v))
print(torch.dot(v, v), torch.outer(v, v).shape)
X = torch.ones(5, 2, 3)
print(torch.bmm(X, X.transpose(1, 2)).shape, (X @ B).shape)
print(torch.mm(X, B))
