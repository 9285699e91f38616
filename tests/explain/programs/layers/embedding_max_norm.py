import torch
from torch import nn

torch.manual_seed(0)
words = nn.Embedding(10, 4, max_norm=1.0)
project = nn.Parameter(torch.randn(4, 4))
opt = torch.optim.SGD([words.weight, project], lr=0.1)
context = torch.tensor([[1, 2], [3, 4]])
target = torch.tensor([5, 6])
for step in range(2):
    opt.zero_grad()
    table = words.weight @ project
    hidden = words(context).mean(1)
    loss = nn.functional.cross_entropy(hidden @ table.t(), target)
    loss.backward()
    opt.step()
