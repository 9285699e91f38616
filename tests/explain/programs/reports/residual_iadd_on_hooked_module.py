import torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.act = nn.ReLU()
    def forward(self, x):
        out = self.act(self.lin(x))
        out += x
        return out
b = Block()
b.act.register_full_backward_hook(lambda m, gi, go: print("go", go[0]))
y = b(torch.ones(1, 2))
y.sum().backward()
