import torch
from torch.optim import lr_scheduler

def run(make):
    p = torch.zeros(1, requires_grad=True)
    opt = torch.optim.SGD([p], lr=0.8)
    s = make(opt)
    lrs = []
    for _ in range(5):
        lrs.append(round(opt.param_groups[0]["lr"], 4))
        opt.step()
        s.step()
    return lrs

print("exp   ", run(lambda o: lr_scheduler.ExponentialLR(o, gamma=0.5)))
print("lambda", run(lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1))))
print("multi ", run(lambda o: lr_scheduler.MultiStepLR(o, milestones=[1, 3], gamma=0.1)))
print("cosine", run(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=4)))
