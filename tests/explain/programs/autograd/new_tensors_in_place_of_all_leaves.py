import torch
def step(params, grads):
    return [p - 0.1 * g for p, g in zip(params, grads)]
params = [torch.ones(2, requires_grad=True)]
for turn in range(3):
    (params[0] ** 2).sum().backward()
    params = step(params, [p.grad for p in params])
