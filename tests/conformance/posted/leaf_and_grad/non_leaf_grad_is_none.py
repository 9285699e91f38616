import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
out = h.sum()
h.retain_grad()
out.backward()

print(x.is_leaf, h.is_leaf, out.is_leaf)
print("x.grad", x.grad)
print("h.grad", h.grad)
