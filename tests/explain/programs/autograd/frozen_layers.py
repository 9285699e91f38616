import torch
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
for p in model[0].parameters():
    p.requires_grad = False
model(torch.ones(2, 3)).sum().backward()
for p in model.parameters():
    p.grad.norm()
