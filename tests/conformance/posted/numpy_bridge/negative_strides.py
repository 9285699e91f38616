import numpy as np
import torch

img = np.arange(6).reshape(2, 3)
flipped = img[:, ::-1]
try:
    torch.from_numpy(flipped)
except ValueError as e:
    print(e)
print(torch.from_numpy(flipped.copy()))
print(torch.from_numpy(img).flip(1).numpy())
