import torch
a = torch.tensor([1.0], requires_grad=True).clone()
seen = []
a.register_hook(lambda g: seen.append(("hook", g.item())))
a.retain_grad()
a.mul_(2)
b = a.clone()
b.register_hook(lambda g: seen.append(("b", g.item())))
(b + 1).sum().backward()
print(seen, a.grad)
