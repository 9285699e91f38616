import torch
import torch.nn as nn

torch.manual_seed(5)
fc = nn.Linear(3, 2)

def hook(module, grad_input, grad_output):
    print(module)
    print("grad_input:", [g.shape if g is not None else None for g in grad_input])
    print("grad_output:", [g.shape for g in grad_output])

fc.register_full_backward_hook(hook)
x = torch.randn(5, 3, requires_grad=True)
fc(x).mean().backward()
print(x.grad[0])
