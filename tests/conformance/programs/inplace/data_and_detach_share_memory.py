"""A change through detach() is noticed in backward, through .data it is not."""

import torch

for share in ["detach", "data"]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    other = y.detach() if share == "detach" else y.data
    other.zero_()
    try:
        y.sum().backward()
        print(share, y.detach(), x.grad)
    except RuntimeError as e:
        print(share, str(e).split("operation: ")[1].split(" Hint")[0])
