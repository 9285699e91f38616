import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2, bias=False)
        nn.init.eye_(self.fc.weight)

    def forward(self, x):
        return self.fc(x)

def center(module, args):
    x, = args
    return (x - x.mean(dim=0),)

net = Net()
h = net.register_forward_pre_hook(center)
data = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
print(net(data))
h.remove()
print(net(data))
