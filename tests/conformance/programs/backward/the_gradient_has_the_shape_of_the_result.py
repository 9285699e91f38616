"""`gradient` has the shape of the output."""

import torch

inp = torch.ones(2, 3, requires_grad=True)
out = (inp * 2).sum(dim=1)
for g in [torch.ones_like(inp), torch.ones(3), torch.tensor(1.0)]:
    try:
        out.backward(g, retain_graph=True)
        print("ok", inp.grad)
    except RuntimeError as e:
        print(type(e).__name__, str(e).split("\n")[0])
out.backward(torch.ones_like(out))
print(inp.grad)
