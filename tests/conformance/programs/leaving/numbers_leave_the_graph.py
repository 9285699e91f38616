"""item(), tolist(), float() and int() give Python numbers, which have no history."""

import torch

x = torch.tensor([0.1, 2.7], requires_grad=True)
y = x * 1
print(y[0].item(), y.tolist(), int(y[1].detach()), float(y[1].detach()))
z = torch.tensor(y[1].item() * 2, requires_grad=True)
z.backward()
print(x.grad, z.grad)
print(torch.tensor([[True, False]]).tolist(), torch.tensor(3).item(), type(torch.tensor(3.0).item()).__name__)
for call in [y.item, lambda: float(y), lambda: bool(y > 0), y.numpy, lambda: int(torch.ones(2, 2))]:
    try:
        call()
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, e)
print(bool(torch.tensor([0.0])), bool(torch.tensor(2)), [10, 20, 30][torch.tensor(1)])
