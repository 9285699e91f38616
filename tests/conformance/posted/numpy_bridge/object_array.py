import numpy as np
import torch

rows = np.array([[1, 2], [3, "a"]], dtype=object)
try:
    torch.tensor(rows)
except TypeError as e:
    print(str(e)[:60])
try:
    torch.tensor([[1, 2], [3]])
except ValueError as e:
    print(e)
print(torch.tensor(np.array([[1, 2], [3, 4]])))
torch.tensor(["a", "b"])
