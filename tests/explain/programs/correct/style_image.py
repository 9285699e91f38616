import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3)).eval().requires_grad_(False)
content = torch.rand(1, 1, 10, 10)
wanted = features(content)
image = torch.rand(1, 1, 10, 10).requires_grad_()
opt = torch.optim.Adam([image], lr=0.05)
for step in range(10):
    opt.zero_grad()
    loss = (features(image) - wanted).pow(2).mean()
    loss.backward()
    opt.step()
    with torch.no_grad():
        image.clamp_(0, 1)
