import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
one, two = nn.Sequential(nn.Linear(3, 6), nn.Tanh()), nn.Linear(6, 1)
seen = {}
one[0].register_forward_hook(lambda module, args, out: seen.update(activation=out.detach()))
two.weight.register_hook(lambda grad: seen.update(size=grad.norm().item()))
opt = torch.optim.SGD([*one.parameters(), *two.parameters()], lr=0.1)
x, y = torch.randn(7, 3), torch.randn(7, 1)
for step in range(3):
    opt.zero_grad()
    loss = nn.functional.mse_loss(two(checkpoint(one, x, use_reentrant=False)), y)
    loss.backward()
    opt.step()
print(sorted(seen), {k: v.shape for k, v in one.state_dict().items()})
