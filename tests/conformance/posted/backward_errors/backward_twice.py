import torch

# calling backward two times on the same graph
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()
y.backward()
print(x.grad)
y.backward()
print(x.grad)
