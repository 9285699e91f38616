import torch
a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
(a * a).backward(a)
print(a.grad)
a.grad.zero_()
(a * a).backward(torch.ones(2, 3))
print(a.grad)
a.grad.zero_()
for i in range(2):
    for j in range(3):
        (a[i, j] * a[i, j]).backward()
print(a.grad)
