import torch

A = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
print(torch.linalg.matrix_rank(A), torch.det(A))
print(torch.linalg.pinv(A))
try:
    torch.linalg.inv(A)
except RuntimeError as e:
    print(type(e).__name__)
    print(e)
