import torch
torch.manual_seed(0)
X = torch.randn(20, 2)
true_w = torch.randn(2, 1, requires_grad=True)
true_b = torch.randn(1, requires_grad=True)
Y = torch.mm(X, true_w) + true_b
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(2):
    for i in range(0, 20, 10):
        xb, yb = X[i:i + 10], Y[i:i + 10]
        loss = ((torch.mm(xb, w) + b - yb) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad = None
        b.grad = None
print(w, b)
