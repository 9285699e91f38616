import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
X = torch.cat([torch.randn(30, 2) + 2, torch.randn(30, 2) - 2])
y = torch.cat([torch.zeros(30), torch.ones(30)]).long()

model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(1, 61):
    model.train()
    loss = F.cross_entropy(model(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 20 == 0:
        model.eval()
        with torch.no_grad():
            acc = (model(X).argmax(1) == y).float().mean()
        print(epoch, f"{loss.item():.2f}", f"acc {acc:.2f}")
