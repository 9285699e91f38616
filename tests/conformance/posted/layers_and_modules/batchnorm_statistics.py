import torch
import torch.nn as nn

bn = nn.BatchNorm1d(2)
x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
print(bn(x))
print(bn.running_mean, bn.running_var, bn.num_batches_tracked)
bn.eval()
print(bn(x))
bn.train()
try:
    bn(x[:1])
except ValueError as e:
    print(e)
