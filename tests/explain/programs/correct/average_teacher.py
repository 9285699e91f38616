import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for step in range(6):
    x = torch.randn(8, 3)
    with torch.no_grad():
        soft = torch.softmax(teacher(x + 0.1 * torch.randn_like(x)), 1)
    loss = nn.functional.kl_div(torch.log_softmax(student(x), 1), soft, reduction="batchmean")
    loss = loss + nn.functional.cross_entropy(student(x), (x.sum(1) > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(teacher.parameters(), student.parameters()):
            a.mul_(0.9).add_(b, alpha=0.1)
