import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Sequential(nn.ConvTranspose2d(2, 4, 2), nn.ReLU(), nn.ConvTranspose2d(4, 1, 3))
disc = nn.Sequential(nn.Conv2d(1, 4, 3), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(disc.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for step in range(3):
    real = torch.randn(8, 1, 4, 4) + 1
    fake = gen(torch.randn(8, 2, 1, 1))
    d_loss = bce(disc(real), ones) + bce(disc(fake.detach()), zeros)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = bce(disc(fake), ones)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
