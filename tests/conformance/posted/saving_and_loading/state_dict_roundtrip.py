import os
import tempfile
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "model.pth")
    torch.save(model.state_dict(), path)
    state = torch.load(path)
for k, v in state.items():
    print(k, v.shape)
new = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(new.load_state_dict(state))
x = torch.ones(1, 2)
print(torch.equal(model(x), new(x)))
