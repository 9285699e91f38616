import torch
net = torch.nn.Linear(2, 1)
for p in net.parameters():
    p.requires_grad = False
loss = net(torch.ones(1, 2)).sum()
loss.backward()
