import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = torch.zeros(3)
for i in range(3):
    out[i] = x[i] ** (i + 1)

print(out)
print(out.requires_grad, out.is_leaf)
out.sum().backward()
print(x.grad)   # 1, 2x, 3x^2
