import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Linear(2, 3)
params = {k: v.detach() for k, v in net.named_parameters()}
X = torch.randn(4, 2)
y = torch.tensor([0, 1, 2, 0])

def loss(p, x, t):
    out = functional_call(net, p, (x.unsqueeze(0),))
    return F.cross_entropy(out, t.unsqueeze(0))

g = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, y)
print({k: v.shape for k, v in g.items()})
F.cross_entropy(net(X), y).backward()
print(torch.allclose(g["weight"].mean(0), net.weight.grad, atol=1e-6))
