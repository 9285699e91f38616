"""The gradient through the usual changes in place, and the node that each leaves."""

import torch

changes = {
    "add_": lambda t: t.add_(2),
    "sub_": lambda t: t.sub_(2),
    "mul_": lambda t: t.mul_(3),
    "div_": lambda t: t.div_(2),
    "pow_": lambda t: t.pow_(2),
    "neg_": lambda t: t.neg_(),
    "exp_": lambda t: t.exp_(),
    "log_": lambda t: t.log_(),
    "sqrt_": lambda t: t.sqrt_(),
    "sin_": lambda t: t.sin_(),
    "cos_": lambda t: t.cos_(),
    "tanh_": lambda t: t.tanh_(),
    "sigmoid_": lambda t: t.sigmoid_(),
    "relu_": lambda t: t.relu_(),
    "abs_": lambda t: t.abs_(),
    "clamp_": lambda t: t.clamp_(0, 1),
    "zero_": lambda t: t.zero_(),
    "fill_": lambda t: t.fill_(7),
    "copy_": lambda t: t.copy_(torch.ones(2)),
}
for name, change in changes.items():
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    h = x.clone()
    change(h)
    print(name, h)
    h.sum().backward()
    print(" " * len(name), x.grad)
