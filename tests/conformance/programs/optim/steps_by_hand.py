"""Three ways to write the update by hand: two keep the leaf, one loses it."""

import warnings

import torch


def subtract(w):
    with torch.no_grad():
        w -= 0.1 * w.grad
    return w


def through_data(w):
    w.data = w.data - 0.1 * w.grad.data
    return w


def rebind(w):
    return w - 0.1 * w.grad


for update in [subtract, through_data, rebind]:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            (w * w).sum().backward()
            if w.grad is None:
                print("no gradient")
                break
            w = update(w)
            w.grad = None
    print(update.__name__, w, w.is_leaf)
