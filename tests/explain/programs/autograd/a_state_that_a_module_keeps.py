import torch
class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 3)
        self.h = torch.zeros(3)
    def forward(self, x):
        h = torch.tanh(self.a(self.h) + x)
        self.h = h
        return h
cell = Cell()
for step in range(3):
    cell(torch.ones(3)).sum().backward()
