"""Comparison gives tensors, equal() and allclose() an answer; a tensor is found by identity in a dict."""

import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 2.0])
print(a == b, torch.equal(a, b), torch.allclose(a, b + 1e-7), a is b)
print((a != b).any(), (a >= b).all(), {a: "leaf"}[a], a in [a])
print(any(a is t for t in [b, a]), len({a, b, a}))
try:
    if a == b:
        print("never")
except RuntimeError as e:
    print(e)
