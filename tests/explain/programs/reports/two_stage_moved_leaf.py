import torch
from torch import nn
torch.manual_seed(0)
start = torch.randn(3, 2, requires_grad=True).double()
goal = torch.zeros(3, 2, dtype=torch.double)
first = nn.Linear(2, 2).double()
second = nn.Linear(2, 2).double()
mid = first(start)
cut = mid.detach().requires_grad_()
loss = nn.MSELoss()(second(cut), goal)
loss.backward()
print("cut", cut.grad)
mid.backward(gradient=cut.grad)
print("start", start.grad)
