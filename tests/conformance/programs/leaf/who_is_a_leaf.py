"""leaf, requires_grad and grad_fn of the usual ways to make a tensor."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.ones(2)
cases = {
    "constant": c,
    "constant result": c * 2,
    "leaf": x,
    "result": x * c,
    "view": x.view(2, 1),
    "index": x[0],
    "clone": x.clone(),
    "detach": x.detach(),
    "data": x.data,
    "detach flag": x.detach().requires_grad_(),
    "same dtype": x.float(),
    "cast": x.double(),
    "contiguous": x.contiguous(),
    "parameter": torch.nn.Parameter(x),
    "comparison": x > 1,
    "like": torch.zeros_like(x),
}
for name, t in cases.items():
    fn = type(t.grad_fn).__name__ if t.grad_fn is not None else None
    print(f"{name:16}", t.is_leaf, t.requires_grad, fn, t is x)
