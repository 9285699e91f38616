import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Conv2d(1, 6, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(6 * 4 * 4, 10),
)
total = 0
for name, p in model.named_parameters():
    print(f"{name:10s} {str(tuple(p.shape)):16s} {p.numel()}")
    total += p.numel()
print("total", total)
x = torch.zeros(2, 1, 8, 8)
for layer in model:
    x = layer(x)
    print(layer.__class__.__name__, x.shape)
