import torch
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
for _ in range(2):
    loss = torch.mean((model(x) - 1) ** 2)
    loss.backward()
    with torch.no_grad():
        model.weight = model.weight - 0.1 * model.weight.grad
print(model.weight)
