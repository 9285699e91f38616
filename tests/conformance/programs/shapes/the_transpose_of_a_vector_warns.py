"""x.T of what is no matrix warns, once in a process."""

import warnings

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(x @ x, x.T @ x)
    print(x.T)
print(len(caught), caught[0].category.__name__)
print(str(caught[0].message).split(" (Triggered")[0])
(x.T @ x).backward()
print(x.grad)
