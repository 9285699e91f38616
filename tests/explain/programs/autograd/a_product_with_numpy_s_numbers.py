import torch
import numpy as np
w = torch.ones(3, 1, requires_grad=True)
x = torch.from_numpy(np.ones((2, 3)))
y = x @ w
