import numpy as np
import torch

a = np.array([1.0, 2.0, 3.0])
t = torch.from_numpy(a)
c = torch.tensor(a)
a[0] = 100
print(t)
print(c)
t.mul_(2)
print(a)
print(t.dtype, c.dtype, torch.as_tensor(a).dtype)
