import torch
import torch.nn as nn

class Scaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.tensor([1.0, 2.0]))
        self.offset = torch.zeros(2)

    def forward(self, x):
        return (x - self.mean) * self.scale + self.offset

m = Scaler()
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()])
print(list(m.state_dict().keys()))
m.double()
print(m.scale.dtype, m.mean.dtype, m.offset.dtype)
print(m(torch.tensor([[3.0, 4.0]])))
