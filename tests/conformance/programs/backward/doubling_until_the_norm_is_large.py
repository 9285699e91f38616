"""The old tutorial: double y until its norm reaches 1000, then weight its entries."""

import torch
from torch.autograd import Variable

x = Variable(torch.FloatTensor([0.1, 0.2, 0.3]), requires_grad=True)
y = x * 2
doublings = 0
while y.data.norm() < 1000:
    y = y * 2
    doublings += 1
print(doublings, y)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(x.grad)
