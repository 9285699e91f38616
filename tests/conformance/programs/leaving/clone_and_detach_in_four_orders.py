"""What clone() and detach() keep: memory, graph, flag."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
copies = {
    "x": x,
    "clone": x.clone(),
    "detach": x.detach(),
    "clone.detach": x.clone().detach(),
    "detach.clone": x.detach().clone(),
    "data": x.data,
    "data.clone": x.data.clone(),
}
with torch.no_grad():
    x += 10
for name, t in copies.items():
    print(f"{name:12}", t.detach(), t.requires_grad, t.is_leaf, t._version)
