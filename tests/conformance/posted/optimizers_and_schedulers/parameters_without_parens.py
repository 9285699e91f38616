import torch
import torch.nn as nn

model = nn.Linear(3, 1)
try:
    torch.optim.Adam(model.parameters, lr=0.01)
except TypeError as e:
    print(e)
try:
    torch.optim.SGD([], lr=0.1)
except ValueError as e:
    print(e)
try:
    torch.optim.SGD(model.parameters(), lr=-0.1)
except ValueError as e:
    print(e)
print(len(torch.optim.Adam(model.parameters(), lr=0.01).param_groups[0]["params"]))
