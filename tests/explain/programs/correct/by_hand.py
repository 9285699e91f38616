import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20)
y = 2 * x + 1
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(30):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        b -= 0.3 * b.grad
        w.grad.zero_()
        b.grad.zero_()
print(loss.item())
