import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images, labels = torch.randn(32, 1, 8, 8), torch.randint(0, 4, (32,))
loader = DataLoader(TensorDataset(images, labels), batch_size=8, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2))
        self.classify = nn.Sequential(nn.Dropout(0.2), nn.Linear(36, 4))

    def forward(self, x):
        return self.classify(torch.flatten(self.features(x), 1))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(3):
    net.train()
    running = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(xb), yb)
        loss.backward()
        opt.step()
        running += loss.item() * len(xb)
    net.eval()
    with torch.no_grad():
        right = sum((net(xb).argmax(1) == yb).sum().item() for xb, yb in loader)
    print(epoch, round(running / 32, 2), right)
