import torch

x = torch.arange(24).view(2, 3, 4)
print(x[..., -1])
print(x[0, 1:, ::2])
print(x[:, [0, 2]].shape)
print(x.select(1, 0).shape, x.narrow(2, 1, 2).shape)
print(x.flip(0)[0, 0])
try:
    x[0, 0, ::-1]
except ValueError as e:
    print(e)
