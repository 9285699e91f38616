import torch

stack = torch.ones(2, 3, 4)
print(torch.nn.Linear(4, 1)(stack).grad_fn.name())
print(torch.nn.Linear(4, 1, bias=False)(stack).grad_fn.name())
