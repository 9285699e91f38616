import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
print(y)
y.sum().backward()
print("grad:", x.grad)

x.grad = None
safe = torch.where(x > 0, x, torch.ones_like(x))
torch.where(x > 0, safe.sqrt(), 0.0).sum().backward()
print("grad:", x.grad)
with torch.autograd.set_detect_anomaly(True):
    torch.where(x > 0, torch.sqrt(x) * 0, x * 0).sum().backward()
