import torch
from torch import nn
relu = nn.ReLU(inplace=True)
relu.register_forward_pre_hook(lambda m, i: print("before", i))
relu.register_forward_hook(lambda m, i, o: print("after", i, o, i[0] is o))
lin = nn.Linear(2, 2)
with torch.no_grad():
    lin.weight.copy_(torch.tensor([[1.0, -1.0], [2.0, 0.5]])); lin.bias.zero_()
h = lin(torch.tensor([[1.0, 2.0]]))
print(relu(h))
print(h)
