import torch
import torch.nn as nn

torch.manual_seed(7)
m1 = nn.Linear(2, 2)
m2 = nn.Linear(2, 2)
torch.manual_seed(7)
m3 = nn.Linear(2, 2)
print(torch.equal(m1.weight, m2.weight))
print(torch.equal(m1.weight, m3.weight))
print(m3.weight)
