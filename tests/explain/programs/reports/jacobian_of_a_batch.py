import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(2, 3)
xs = torch.randn(4, 2)
big = torch.autograd.functional.jacobian(net, xs)
print(big.shape)
print(big[0, :, 1])
small = torch.func.vmap(torch.func.jacrev(net))(xs)
print(small.shape, torch.equal(small[2], net.weight))
summed = torch.autograd.functional.jacobian(lambda t: net(t).sum(0), xs).transpose(0, 1)
print(torch.allclose(summed, small))
