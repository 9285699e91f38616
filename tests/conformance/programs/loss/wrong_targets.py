"""Labels of the wrong dtype, of the wrong number and out of range."""

import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, 2.0, 3.0], [0.5, -0.5, 1.5]], requires_grad=True)
for target in [torch.tensor([0, 1, 2]), torch.tensor([0.0, 1.0]), torch.tensor([0, 3])]:
    try:
        print(F.cross_entropy(x, target))
    except (RuntimeError, ValueError, IndexError) as e:
        print(type(e).__name__, str(e).split("\n")[0])
