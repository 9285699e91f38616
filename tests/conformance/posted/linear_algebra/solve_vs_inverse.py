import torch

A = torch.tensor([[3.0, 1.0], [1.0, 2.0]])
b = torch.tensor([9.0, 8.0])
x = torch.linalg.solve(A, b)
print(x)
print(torch.allclose(torch.inverse(A) @ b, x))
print(torch.linalg.det(A), torch.trace(A))
print(torch.linalg.matrix_rank(A))
