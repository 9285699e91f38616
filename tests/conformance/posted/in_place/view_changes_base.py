import torch

a = torch.arange(6)
b = a.view(2, 3)
c = a.reshape(3, 2)
d = a[::2]

b[0, 0] = 99
c.add_(1)
d.zero_()
print(a)
print(b)
print(c)
