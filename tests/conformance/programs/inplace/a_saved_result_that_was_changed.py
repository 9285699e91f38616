"""exp, sqrt, sigmoid, tanh and relu save their result; log, sin and pow their input."""

import torch

for name in ["exp", "sqrt", "sigmoid", "tanh", "relu", "log", "sin", "square", "abs", "neg"]:
    for which in ["result", "input"]:
        x = torch.tensor([0.25, 1.0], requires_grad=True)
        h = x * 1
        y = getattr(h, name)()
        changed = y if which == "result" else h
        changed.mul_(2)
        try:
            y.sum().backward()
            print(name, which, "ok", x.grad)
        except RuntimeError as e:
            print(name, which, str(e).split("operation: ")[1].split(" Hint")[0])
