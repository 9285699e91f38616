from collections import OrderedDict
import torch
import torch.nn as nn

net = nn.Linear(2, 1)
saved = OrderedDict(("module." + k, v.clone()) for k, v in net.state_dict().items())
print(list(saved))
fixed = OrderedDict((k.replace("module.", "", 1), v) for k, v in saved.items())
other = nn.Linear(2, 1)
other.load_state_dict(fixed)
print(torch.equal(other.weight, net.weight))
other.load_state_dict(saved)
