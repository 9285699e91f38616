import torch

x = torch.tensor([[1], [2], [3]])
e = x.expand(3, 4)
r = x.repeat(1, 4)
print(e)
print(torch.equal(e, r))
print(e.stride(), r.stride())
print(x.repeat(2, 2).shape, x.expand(-1, 2).shape)
print(torch.repeat_interleave(x.flatten(), 2), x.flatten().tile(2))
