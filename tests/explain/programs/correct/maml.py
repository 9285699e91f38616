import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
meta = torch.optim.Adam(net.parameters(), lr=0.01)
for task in range(3):
    x = torch.linspace(-2, 2, 10)[:, None]
    y = torch.sin(x + task)
    params = dict(net.named_parameters())
    inner = nn.functional.mse_loss(functional_call(net, params, (x,)), y)
    grads = torch.autograd.grad(inner, list(params.values()), create_graph=True)
    fast = {name: p - 0.1 * g for (name, p), g in zip(params.items(), grads)}
    outer = nn.functional.mse_loss(functional_call(net, fast, (x,)), y)
    meta.zero_grad()
    outer.backward()
    meta.step()
