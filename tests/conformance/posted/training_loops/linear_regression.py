import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 20).unsqueeze(1)
y = 2 * x + 1

model = nn.Linear(1, 1)
loss_fn = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(200):
    pred = model(x)
    loss = loss_fn(pred, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0:
        print(f"epoch {epoch:3d}  loss {loss.item():.3f}")
print(f"w={model.weight.item():.2f} b={model.bias.item():.2f}")
