import torch
import torch.nn as nn

model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 1))
for p in model[0].parameters():
    p.requires_grad = False

for name, p in model.named_parameters():
    print(name, tuple(p.shape), p.requires_grad)

model(torch.ones(5, 1, 4, 4)).mean().backward()
print([p.grad is None for p in model.parameters()])
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print("trainable:", trainable, "of", sum(p.numel() for p in model.parameters()))
