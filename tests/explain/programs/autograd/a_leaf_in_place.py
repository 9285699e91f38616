import torch
def init(t):
    t[0] = 1.0
w = torch.zeros(3, requires_grad=True)
init(w)
