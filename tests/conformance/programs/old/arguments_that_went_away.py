"""volatile and grad_variables warn; retain_variables is an error."""

import warnings

import torch
from torch.autograd import Variable

c = torch.ones(2)
x = torch.tensor([1.0, 2.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(Variable(c, volatile=True))
    torch.autograd.backward((x * 2).sum(), grad_variables=torch.tensor(1.0))
print(x.grad)
for each in caught:
    print(each.category.__name__, each.message)
