import torch

x = torch.ones(3, requires_grad=True)
y = x * 2

try:
    y.backward()
except RuntimeError as e:
    print("Error:", e)

y.backward(gradient=torch.tensor([1.0, 0.1, 0.01]))
print(x.grad)
