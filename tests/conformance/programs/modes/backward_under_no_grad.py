"""A graph recorded before can be walked under no_grad(); what is made there cannot."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
with torch.no_grad():
    y.backward()
    print(x.grad)
    z = (x * x).sum()
    try:
        z.backward()
    except RuntimeError as e:
        print(e)
