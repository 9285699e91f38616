import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", enabled=False)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(4):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
        loss = nn.functional.mse_loss(out, y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    scaler.step(opt)
    scaler.update()
