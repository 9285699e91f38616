import torch
w = torch.ones(2, requires_grad=True)
h = torch.zeros(2)
def cell(x, h):
    return torch.tanh(w * h + x)
def train():
    global h
    for x in torch.eye(2):
        h = cell(x, h)
        h.sum().backward()
train()
