import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau

w = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([w], lr=0.1)
sched = ReduceLROnPlateau(opt, mode="min", factor=0.5, patience=1)
for val_loss in [1.0, 0.9, 0.95, 0.96, 0.97, 0.98]:
    sched.step(val_loss)
    print(val_loss, opt.param_groups[0]["lr"])
sched.step()
