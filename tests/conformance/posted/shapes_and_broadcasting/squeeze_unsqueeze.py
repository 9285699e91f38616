import torch

x = torch.zeros(2, 1, 3, 1)
print(x.squeeze().shape)
print(x.squeeze(1).shape)
print(x.squeeze(0).shape)
print(x.unsqueeze(-1).shape)
print(x[:, None].size())
print(torch.squeeze(x, dim=(1, 3)).shape)
print(x.squeeze().unsqueeze(0).ndim)
