import torch

x = torch.tensor([0.5, 1.0], requires_grad=True)
y = torch.exp(x)
y += 1
try:
    y.sum().backward()
except RuntimeError as e:
    msg = str(e)
    print(msg[:98])

# not in place: fine
y = torch.exp(x)
y = y + 1
y.sum().backward()
print(x.grad)
