import torch
def soft_abs(v):
    if v > 0:
        return v
    return -0.5 * v
print(torch.func.grad(soft_abs)(torch.tensor(-3.0)))
print(torch.func.vmap(soft_abs)(torch.tensor([1.0, -2.0, 3.0])))
