import torch
scale = torch.ones(3, requires_grad=True)
mask = (scale * 2)[:, None].expand(3, 4)
mask[0] = torch.zeros(4)
mask.sum().backward()
print(scale.grad)
