import torch
import torch.nn.functional as F

z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
p = F.softmax(z, dim=0)

v = torch.tensor([0.0, 0.0, 1.0])
p.backward(v)
print(z.grad)

# by hand: p_i * (delta - p_j)
p = p.detach()
J = torch.diag(p) - torch.outer(p, p)
print(J @ v)
print("max diff < 1e-7:", (J @ v - z.grad).abs().max().item() < 1e-7)
