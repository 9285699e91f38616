import torch

torch.manual_seed(0)
A = torch.randn(5, 2) @ torch.randn(2, 4)
U, S, Vh = torch.linalg.svd(A, full_matrices=False)
print(U.shape, S.shape, Vh.shape)
print((S > 1e-5).sum())
k = 2
Ak = U[:, :k] @ torch.diag(S[:k]) @ Vh[:k]
print(torch.allclose(A, Ak, atol=1e-5))
print(torch.allclose(torch.linalg.norm(A), S.norm()))
