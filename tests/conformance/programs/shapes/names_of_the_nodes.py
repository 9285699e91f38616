"""What print shows as grad_fn for the operations that move entries about."""

import torch

x = torch.arange(6.0).reshape(2, 1, 3).requires_grad_()
views = {
    "view": lambda t: t.view(6),
    "reshape": lambda t: t.reshape(3, 2),
    "reshape copy": lambda t: t.permute(2, 0, 1).reshape(6),
    "flatten": lambda t: t.flatten(),
    "flatten from 1": lambda t: t.flatten(1),
    "transpose": lambda t: t.transpose(0, 2),
    "permute": lambda t: t.permute(2, 0, 1),
    "mT": lambda t: t.mT,
    "t": lambda t: t[:, 0].t(),
    "T": lambda t: t[:, 0].T,
    "squeeze": lambda t: t.squeeze(),
    "squeeze(1)": lambda t: t.squeeze(1),
    "unsqueeze": lambda t: t.unsqueeze(0),
    "expand": lambda t: t.expand(2, 2, 3),
    "index": lambda t: t[0],
    "slice": lambda t: t[..., 1:],
    "list": lambda t: t[[0]],
    "clone": lambda t: t.clone(),
    "contiguous": lambda t: t.permute(2, 0, 1).contiguous(),
    "stack": lambda t: torch.stack([t, t]),
    "cat": lambda t: torch.cat([t, t]),
    "chunk": lambda t: t.chunk(3, dim=2)[1],
    "unbind": lambda t: t.unbind()[1],
}
for name, f in views.items():
    y = f(x)
    print(f"{name:14}", tuple(y.shape), y.grad_fn.name())
