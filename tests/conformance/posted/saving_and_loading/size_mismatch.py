import torch.nn as nn

a = nn.Linear(4, 10)
b = nn.Linear(4, 3)
try:
    b.load_state_dict(a.state_dict())
except RuntimeError as e:
    for line in str(e).splitlines():
        print(line.strip())

sd = {k: v for k, v in a.state_dict().items() if v.shape == b.state_dict()[k].shape}
print("usable:", list(sd))
print(b.load_state_dict(sd, strict=False))
