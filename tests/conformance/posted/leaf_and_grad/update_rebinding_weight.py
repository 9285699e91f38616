import torch

w = torch.tensor(1.0, requires_grad=True)
lr = 0.1
for epoch in range(2):
    loss = (w - 5) ** 2
    loss.backward()
    print(epoch, loss.item(), w.grad)
    w = w - lr * w.grad      # works the first time only
    w.grad.zero_()
