import torch
from torch.optim.lr_scheduler import StepLR

p = torch.nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([p], lr=1.0)
scheduler = StepLR(optimizer, step_size=2, gamma=0.1)
for epoch in range(6):
    optimizer.step()
    print(epoch, scheduler.get_last_lr(), optimizer.param_groups[0]["lr"])
    scheduler.step()
