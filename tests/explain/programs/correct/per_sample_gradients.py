import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Linear(3, 1)
params = {k: v.detach() for k, v in net.named_parameters()}


def loss(params, x, y):
    return ((functional_call(net, params, (x[None],)) - y) ** 2).mean()


x, y = torch.randn(5, 3), torch.randn(5, 1)
each = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
print({k: tuple(v.shape) for k, v in each.items()})
norms = each["weight"].flatten(1).norm(dim=1)
scale = (1.0 / norms).clamp(max=1.0)
step = {k: (v * scale.reshape(-1, *[1] * (v.dim() - 1))).mean(0) for k, v in each.items()}
with torch.no_grad():
    for name, p in net.named_parameters():
        p -= 0.1 * step[name]
