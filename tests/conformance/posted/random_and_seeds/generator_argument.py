import torch

g = torch.Generator()
g.manual_seed(2023)
print(torch.randn(2, 2, generator=g))
state = g.get_state()
x = torch.randint(0, 10, (5,), generator=g)
g.set_state(state)
y = torch.randint(0, 10, (5,), generator=g)
print(x, y)
print(torch.randperm(6, generator=torch.Generator().manual_seed(1)))
