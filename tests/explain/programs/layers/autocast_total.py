import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(4)]
total = torch.zeros(())
for x, y in batches:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(net(x), y)
    total = total + loss
    opt.zero_grad()
    total.backward()
    opt.step()
print(total.item() / len(batches))
