import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 8)
        self.mean, self.logvar = nn.Linear(8, 2), nn.Linear(8, 2)
        self.dec = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6))

    def forward(self, x):
        h = F.relu(self.enc(x))
        mean, logvar = self.mean(h), self.logvar(h)
        z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        return torch.sigmoid(self.dec(z)), mean, logvar


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=0.01)
data = torch.rand(32, 6).round()
for epoch in range(10):
    out, mean, logvar = vae(data)
    rec = F.binary_cross_entropy(out, data, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    opt.zero_grad()
    (rec + kl).backward()
    opt.step()
