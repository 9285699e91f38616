import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]]))
model = nn.Linear(2, 1)
print(X.dtype, model.weight.dtype)
try:
    model(X)
except RuntimeError as e:
    print(e)
print(model(X.float()).dtype)
print(model.double()(X).dtype)
