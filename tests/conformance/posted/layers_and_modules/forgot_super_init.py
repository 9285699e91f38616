import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        self.fc1 = nn.Linear(10, 5)
        self.fc2 = nn.Linear(5, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))

print(issubclass(Net, nn.Module))
net = Net()
print(net)
