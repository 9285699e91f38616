import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
disc = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for step in range(20):
    real = torch.randn(16, 1) * 0.5 + 3
    fake = gen(torch.randn(16, 2))
    d_loss = bce(disc(real), torch.ones(16, 1)) + bce(disc(fake.detach()), torch.zeros(16, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = bce(disc(fake), torch.ones(16, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
