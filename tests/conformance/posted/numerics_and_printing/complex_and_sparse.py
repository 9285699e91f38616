import torch

z = torch.tensor([3 + 4j, 1 - 1j])
print(z, z.dtype)
print(z.abs(), z.real, z.conj())
print(torch.fft.fft(torch.tensor([1.0, 0.0, -1.0, 0.0])))

d = torch.tensor([[0.0, 2.0], [0.0, 0.0]])
s = d.to_sparse()
print(s)
print(s.to_dense().equal(d), s.indices().tolist(), s.values())
