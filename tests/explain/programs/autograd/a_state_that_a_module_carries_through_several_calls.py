import torch
class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 3)
        self.h = torch.zeros(3)
    def forward(self, x):
        self.h = torch.tanh(self.a(self.h) + x)
        return self.h.sum()
cell = Cell()
for batch in range(3):
    loss = 0
    for t in range(2):
        loss = loss + cell(torch.ones(3))
    loss.backward()
