import torch
w = torch.ones(3, requires_grad=True)
class Cell:
    state = (torch.zeros(3), torch.ones(3))
cell = Cell()
for step in range(3):
    h, c = cell.state
    cell.state = (torch.tanh(w * h + c), w * c)
    sum(cell.state).sum().backward()
