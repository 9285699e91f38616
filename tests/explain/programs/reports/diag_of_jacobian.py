import torch
f = lambda x: torch.tanh(x) * x.sum()
x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
f(x).backward(torch.ones(3))
print(x.grad)
J = torch.func.jacrev(f)(x.detach())
print(J.diagonal())
print(torch.allclose(J.sum(0), x.grad))
print(torch.func.vmap(lambda i, e: torch.func.jvp(f, (x.detach(),), (e,))[1][i])(torch.arange(3), torch.eye(3)))
