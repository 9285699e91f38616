"""Gradient ascent on the input, with the weights left alone."""

import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
x = torch.zeros(2, requires_grad=True)
for _ in range(3):
    score = (w * x).sum() - 0.5 * (x * x).sum()
    score.backward(inputs=[x])
    with torch.no_grad():
        x += 0.5 * x.grad
    x.grad.zero_()
    print(score, x, w.grad)
