import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
A = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])
y = A @ x ** 2

rows = []
for i in range(len(y)):
    g, = torch.autograd.grad(y[i], x, retain_graph=True)
    rows.append(g)
J = torch.stack(rows)
print("jacobian:\n", J)
print(torch.allclose(J, A * 2 * x.detach()))
