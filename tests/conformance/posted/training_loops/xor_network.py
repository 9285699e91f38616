import torch
import torch.nn as nn

torch.manual_seed(1)
X = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float32)
Y = torch.tensor([[0], [1], [1], [0]], dtype=torch.float32)

net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=0.05)
criterion = nn.BCELoss()
for i in range(400):
    opt.zero_grad()
    loss = criterion(net(X), Y)
    loss.backward()
    opt.step()
print((net(X) > 0.5).int().flatten().tolist())
print(loss.item() < 0.05)
