import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
t = torch.zeros(2, 1).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = nn.functional.mse_loss(model(x), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(type(device).__name__, loss.device == x.device, next(model.parameters()).is_cuda == x.is_cuda)
print(loss.cpu().item() < 1)
