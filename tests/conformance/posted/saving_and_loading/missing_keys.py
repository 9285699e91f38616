import torch.nn as nn

class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.out = nn.Linear(2, 1)

old, new = Old(), New()
res = new.load_state_dict(old.state_dict(), strict=False)
print("missing:", res.missing_keys, "unexpected:", res.unexpected_keys)
try:
    new.load_state_dict(old.state_dict())
except RuntimeError as e:
    print(e)
