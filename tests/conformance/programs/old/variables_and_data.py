"""Code of 2017: Variable, .data and FloatTensor."""

import torch
from torch.autograd import Variable

x = Variable(torch.FloatTensor([[1, 2], [3, 4]]), requires_grad=True)
y = Variable(torch.ones(2, 2))
print(x, y.requires_grad, isinstance(x, Variable), type(x).__name__)
out = (x * x * y).mean()
out.backward()
print(x.grad.data, out.data)
x.data -= 0.1 * x.grad.data
x.grad.data.zero_()
print(x, x.grad, x._version)
try:
    print(out.data[0])
except IndexError as e:
    print(e)
