import torch

torch.manual_seed(42)
w = torch.randn(3, 2, requires_grad=True) * 0.01
print(w.is_leaf)
try:
    opt = torch.optim.SGD([w], lr=0.1)
except ValueError as e:
    print("ValueError:", e)

w = (torch.randn(3, 2) * 0.01).requires_grad_()
opt = torch.optim.SGD([w], lr=0.1)
print(w.is_leaf, w.grad)
