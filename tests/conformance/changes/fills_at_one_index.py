import torch

for index in (torch.tensor([True, False, True]), [0, 2], torch.tensor([0, 2], dtype=torch.int32)):
    x = torch.ones(3, requires_grad=True) * 2
    x[index] = 5.0
    print(x)
