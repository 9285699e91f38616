import torch
import torch.nn as nn

def train(zero):
    torch.manual_seed(0)
    m = nn.Linear(1, 1)
    opt = torch.optim.SGD(m.parameters(), lr=0.05)
    x = torch.tensor([[1.0], [2.0]])
    losses = []
    for _ in range(6):
        loss = ((m(x) - 3 * x) ** 2).mean()
        if zero:
            opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(round(loss.item(), 3))
    return losses

print("with zero_grad   ", train(True))
print("without zero_grad", train(False))
