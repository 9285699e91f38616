import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.GRU(4, 6, batch_first=True)
decoder = nn.Linear(6, 2)
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.02)
x = torch.randn(16, 5, 4)
y = (x.sum((1, 2)) > 0).long()
for step in range(5):
    opt.zero_grad()
    _, h = encoder(x)
    code = h[-1].data
    loss = nn.functional.cross_entropy(decoder(code), y)
    loss.backward()
    opt.step()
