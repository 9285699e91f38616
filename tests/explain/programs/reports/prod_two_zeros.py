import torch
v = torch.tensor([2.0, 3.0, 0.0, 0.0], requires_grad=True)
(g,) = torch.autograd.grad(v.prod(), v, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), v)[0])
print(torch.autograd.functional.hessian(torch.prod, v.detach()))
