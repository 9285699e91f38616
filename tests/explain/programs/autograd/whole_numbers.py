import torch
net = torch.nn.Linear(3, 5)
logits = net(torch.ones(4, 3))
pred = torch.argmax(logits, dim=1)
loss = (pred != 2).float().mean()
loss.backward()
