import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a = x.detach()
b = x.clone()
c = x.detach().clone()

for name, t in [("detach", a), ("clone", b), ("detach+clone", c)]:
    print(f"{name:13s} requires_grad={t.requires_grad!s:5} shares={t.data_ptr() == x.data_ptr()}")

a[0] = 100
print(x)
print(b, c)
