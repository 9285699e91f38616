import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
temperature = nn.Parameter(torch.tensor(0.0))
opt = torch.optim.Adam([{"params": encoder.parameters()}, {"params": [temperature], "lr": 0.001}], lr=0.01)
for step in range(5):
    x = torch.randn(6, 4)
    a = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
    b = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
    logits = a @ b.t() * temperature.exp()
    labels = torch.arange(6)
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    best = loss.item() if step == 0 else min(best, loss.item())
