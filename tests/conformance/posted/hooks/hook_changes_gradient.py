import torch

w = torch.tensor([3.0, -8.0, 0.5], requires_grad=True)
w.register_hook(lambda g: g.clamp(-1, 1))
w.register_hook(lambda g: g * 10)

loss = (w ** 2).sum()
loss.backward()
print(w.grad)
