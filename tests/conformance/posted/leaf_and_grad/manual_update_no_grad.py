import torch

w = torch.tensor([0.0, 0.0], requires_grad=True)
target = torch.tensor([1.0, -2.0])
lr = 0.25

for epoch in range(6):
    loss = ((w - target) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad = None
    print(f"epoch {epoch}: loss={loss.item():.4f}")
print(w)
