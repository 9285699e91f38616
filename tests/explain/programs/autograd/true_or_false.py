import torch
net = torch.nn.Linear(3, 1)
score = net(torch.ones(4, 3))
hit = score > 0.5
loss = hit.float().mean()
loss.backward()
