import torch

table = torch.zeros(3, 3, dtype=torch.long)
rows = torch.tensor([0, 0, 2])
cols = torch.tensor([1, 1, 2])

table[rows, cols] += 1
print(table)          # why is [0, 1] only 1 ?

table.zero_()
table.index_put_((rows, cols), torch.tensor(1), accumulate=True)
print(table)
