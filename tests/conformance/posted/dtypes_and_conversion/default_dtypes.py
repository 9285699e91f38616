import torch

for v in (1, 1.0, True, [1, 2.5], [], 3e9):
    t = torch.tensor(v)
    print(repr(v), "->", t.dtype, tuple(t.shape))
print(torch.Tensor([1, 2]).dtype, torch.zeros(2).dtype, torch.arange(3).dtype, torch.arange(3.0).dtype)
print(torch.get_default_dtype())
print(torch.LongTensor([1, 2]), torch.FloatTensor([1, 2]))
