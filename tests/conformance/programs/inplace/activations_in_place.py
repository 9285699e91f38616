"""relu_ and its like, after an operation that needs the old value and after one that does not."""

import torch
import torch.nn.functional as F

x = torch.tensor([-1.0, 2.0], requires_grad=True)
h = x * 3
r = F.relu(h, inplace=True)
print(r is h, h)
h.sum().backward()
print(x.grad)
for make in [torch.sigmoid, torch.exp, torch.square, lambda t: t + 1]:
    y = make(x)
    y2 = torch.relu_(y)
    try:
        y2.sum().backward()
        print("ok", x.grad)
    except RuntimeError as e:
        print(str(e).split("operation: ")[1].split(" Hint")[0])
try:
    torch.relu_(x)
except RuntimeError as e:
    print(e)
