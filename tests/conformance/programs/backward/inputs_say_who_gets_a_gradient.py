"""backward(inputs=...) fills .grad of the named tensors only, leaves or not."""

import torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
h = x * w
(h * h).backward(inputs=[w])
print(x.grad, w.grad)
h = x * w
(h * h).backward(inputs=[h, x])
print(x.grad, w.grad, h.grad)
(x * 7).backward(inputs=x)
print(x.grad)
for inputs in [[], [torch.ones(1)]]:
    try:
        (x * 7).backward(inputs=inputs)
    except RuntimeError as e:
        print(e)
