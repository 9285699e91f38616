import torch

t = torch.ones(2)
try:
    t.register_hook(lambda g: print(g))
except RuntimeError as e:
    print("RuntimeError:", e)

t.requires_grad_()
t.register_hook(lambda g: print("got", g))
(t * torch.tensor([1.0, 5.0])).sum().backward()
