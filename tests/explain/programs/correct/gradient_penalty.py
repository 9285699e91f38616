import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
gen = nn.Linear(3, 2)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
opt_g = torch.optim.RMSprop(gen.parameters(), lr=1e-3)
for step in range(6):
    for _ in range(2):
        real, fake = torch.randn(8, 2), gen(torch.randn(8, 3)).detach()
        mix = torch.rand(8, 1)
        between = (mix * real + (1 - mix) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        opt_c.zero_grad()
        loss.backward()
        opt_c.step()
    opt_g.zero_grad()
    (-critic(gen(torch.randn(8, 3))).mean()).backward()
    opt_g.step()
