import torch

t = torch.empty(2, 2)
t.fill_(7)
print(t)
t.copy_(torch.tensor([1, 2]))      # broadcasts and converts
print(t)
t.mul_(2).sub_(1).clamp_(min=2)
print(t)
t.t_()
print(t)
u = t
u += 1
print(t is u, t)
