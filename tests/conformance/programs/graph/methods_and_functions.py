"""The same operation as method, as function and as operator."""

import torch

a = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
b = torch.tensor([[2.0, 1.0], [-1.0, 4.0]])
pairs = [
    (a.add(b), torch.add(a, b)),
    (a - b, torch.sub(a, b)),
    (a.mul(b), torch.mul(a, b)),
    (a / b, torch.div(a, b)),
    (a.matmul(b), torch.matmul(a, b)),
    (a.mm(b), a @ b),
    (a.pow(2), torch.pow(a, 2)),
    (a.sum(1), torch.sum(a, dim=1)),
    (a.mean(), torch.mean(a)),
    (a.abs(), torch.abs(a)),
    (a.exp(), torch.exp(a)),
    (a.t(), torch.t(a)),
    (a.transpose(0, 1), torch.transpose(a, 0, 1)),
    (a.clamp(-1, 1), torch.clamp(a, -1, 1)),
    (a.norm(), torch.norm(a)),
    (a.softmax(0), torch.softmax(a, dim=0)),
    (a.unsqueeze(0), torch.unsqueeze(a, 0)),
    (a.flatten(), torch.flatten(a)),
    (-a, torch.neg(a)),
    (a > b, torch.gt(a, b)),
    (a == b, torch.eq(a, b)),
    (torch.add(a, b, alpha=2), a + 2 * b),
]
for one, other in pairs:
    print(torch.equal(one, other), type(one.grad_fn).__name__, type(other.grad_fn).__name__)
