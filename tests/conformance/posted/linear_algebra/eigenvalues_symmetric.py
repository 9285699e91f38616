import torch

S = torch.tensor([[2.0, 0.0], [0.0, 3.0]])
vals, vecs = torch.linalg.eigh(S)
print(vals)
print(vecs.abs())
rot = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
print(torch.linalg.eigvals(rot).imag.sort().values)
print((vecs @ torch.diag(vals) @ vecs.T).allclose(S))
