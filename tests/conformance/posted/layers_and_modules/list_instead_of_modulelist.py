import torch.nn as nn

class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(3)]

class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

print(len(list(A().parameters())), len(list(B().parameters())))
for name, _ in B().named_parameters():
    print(name)
print(B())
