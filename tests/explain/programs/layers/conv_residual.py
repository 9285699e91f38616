import torch
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        shortcut = torch.sigmoid(x)
        h = torch.relu(self.norm(self.conv1(x)))
        h = self.conv2(h)
        shortcut += h
        return shortcut


net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), Block(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
images, labels = torch.randn(8, 1, 6, 6), torch.randint(0, 3, (8,))
for epoch in range(3):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(images), labels)
    loss.backward()
    opt.step()
