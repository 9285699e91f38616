import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(30, 1))
x = torch.zeros(4, 10)
print("input", x.shape)
print(model(x))
