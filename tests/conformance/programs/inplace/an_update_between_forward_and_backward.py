"""An update of the weights between forward and backward: an error if the old value is needed."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, 4.0], requires_grad=True)
optimizer = torch.optim.SGD([w, v], lr=0.1)
linear, product = (w + v).sum(), (w * v).sum()
linear.backward()
optimizer.step()
print(w, v)
try:
    product.backward()
except RuntimeError as e:
    print(str(e).split(" Hint")[0])
