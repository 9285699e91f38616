import torch
import torch.nn as nn

body, head = nn.Linear(4, 4), nn.Linear(4, 2)
opt = torch.optim.AdamW([
    {"params": body.parameters(), "lr": 1e-4},
    {"params": head.parameters()},
], lr=1e-2, weight_decay=0.0)
for g in opt.param_groups:
    print(g["lr"], g["weight_decay"], len(g["params"]))
opt.add_param_group({"params": [nn.Parameter(torch.zeros(3))], "lr": 0.5})
print(len(opt.param_groups), len(opt.state))
