import torch
def features(x):
    h = torch.relu(x)
    return h.detach()
x = torch.ones(4, requires_grad=True)
f = features(x)
loss = (f * 2).sum()
loss.backward()
