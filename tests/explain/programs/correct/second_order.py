import torch

torch.manual_seed(0)
w = torch.randn(4, requires_grad=True)
opt = torch.optim.LBFGS([w], lr=0.5, max_iter=5)
A = torch.randn(4, 4)
A = A @ A.t() + torch.eye(4)


def closure():
    opt.zero_grad()
    loss = 0.5 * w @ A @ w - w.sum()
    loss.backward()
    return loss


for step in range(3):
    print(round(opt.step(closure).item(), 4))
