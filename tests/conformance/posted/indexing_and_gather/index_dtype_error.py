import torch

x = torch.tensor([10.0, 20.0, 30.0])
idx = torch.tensor([0.0, 2.0])
try:
    print(x[idx])
except IndexError as e:
    print("IndexError:", e)
print(x[idx.long()])
print(torch.index_select(x, 0, idx.int()))
print(x.take(torch.tensor([2, 0])))
print(x[5])
