import torch

x = torch.arange(20)
for c in x.chunk(3):
    print(c.tolist())
print([len(s) for s in torch.split(x, 6)])
print([s.tolist() for s in torch.split(x, [1, 2, 17])][:2])

img = torch.zeros(8, 3, 4, 4)
print(torch.flatten(img).shape)
print(torch.flatten(img, start_dim=1).shape)
print(img.flatten(2).shape, img.unflatten(0, (2, 4)).shape)
a, b = torch.arange(4).view(2, 2).unbind()
print(a, b)
