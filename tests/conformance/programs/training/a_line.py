"""A line fitted by gradient descent: the losses and the end."""

import torch

x = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
y = 2 * x + 1
torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(60):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 15 == 0:
        print(epoch, f"{loss.item():.4f}")
print(f"{model.weight.item():.3f} {model.bias.item():.3f}")
