import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 4
handle = h.register_hook(lambda g: print("grad of h:", g))
(h ** 2).sum().backward()
print("grad of x:", x.grad)

handle.remove()
x.grad = None
(x * 4).sum().backward()
print(x.grad)
