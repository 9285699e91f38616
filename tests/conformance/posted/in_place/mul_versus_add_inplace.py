import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

h = x * 2
h += 10        # add_ does not need h for its backward
h.sum().backward()
print("add_ ok:", x.grad)

x.grad = None
h = x ** 2
h2 = h * h
h *= 10
h2.sum().backward()
